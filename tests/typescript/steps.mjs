// What is checked with every client, in this order, on a connection to the demonstration.

import assert from "node:assert/strict";

import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";

import { Connection } from "./clients.mjs";
import { SlowArchive } from "./slow_archive.mjs";

const PATIENCE = 20_000;
const PROMPT_END = 2_000;
const TOOLS = ["search_inside", "search_items", "get_item"];
const PHRASE = { query: '"call me ishmael"' };
const TITLE = { query: "moby dick" };

export const STEPS = {
  "the greeting names the server and carries its instructions": async ({ open }) => {
    const { name, version } = open.client.getServerVersion();
    assert.equal(name, "mcp-books");
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.match(open.client.getInstructions(), /DEMONSTRATION/);
    assert.equal(open.protocol, open.kind.protocol);
  },

  "three tools are listed with a title, a promise to read only, and both schemas": async ({ open }) => {
    const { tools } = await open.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    for (const tool of tools) {
      assert.ok(tool.annotations.title);
      assert.equal(tool.annotations.readOnlyHint, true);
      assert.equal(tool.inputSchema.additionalProperties, false);
      assert.equal(tool.outputSchema.type, "object");
    }
  },

  "passages are found in three archives, the same in both forms": async (run) => {
    const { hits } = await answered(run, "search_inside", PHRASE);
    assert.deepEqual(new Set(hits.map((hit) => hit.source)), new Set(["archive", "loc", "calibre"]));
  },

  "records are found in four archives, the same in both forms": async (run) => {
    const { items } = await answered(run, "search_items", TITLE);
    const sources = new Set(items.map((item) => item.source));
    assert.deepEqual(sources, new Set(["archive", "loc", "bnf", "calibre"]));
  },

  "every record found can be read by its id, the same in both forms": async (run) => {
    const { items } = await answered(run, "search_items", TITLE);
    for (const { id } of items) {
      const { item } = await answered(run, "get_item", { identifier: id });
      assert.equal(item.id, id);
    }
  },

  "an unknown record is an error in text, its code first": async ({ open }) => {
    const told = await refused(open, "get_item", { identifier: "archive:no-such-record-here" });
    assert.match(told, /^\[not_found\] /);
  },

  "a value out of bounds is an error in text, its code first": async ({ open }) => {
    const told = await refused(open, "search_inside", { ...PHRASE, limit: 99 });
    assert.match(told, /^\[invalid_input\] .*limit/);
  },

  "an unknown argument is refused with the names that exist": async ({ open }) => {
    const told = await refused(open, "search_inside", { ...PHRASE, limt: 4 });
    assert.match(told, /^\[invalid_input\] .*limt/);
    assert.match(told, /max_excerpt_chars/);
  },

  "a missing argument is refused, also where no arguments were sent": async ({ open }) => {
    assert.match(await refused(open, "search_items", undefined), /^\[invalid_input\] .*query/);
  },

  "an unknown tool is an error, and the server goes on": async ({ open }) => {
    assert.match(await refused(open, "no_such_tool", {}), /no_such_tool/);
    assert.equal((await open.client.listTools()).tools.length, TOOLS.length);
  },

  "empty optional values count as left out": async (run) => {
    const empty = { media_type: "", year_from: null, year_to: null, sources: [], sort: "" };
    const plain = await answered(run, "search_items", TITLE);
    const padded = await answered(run, "search_items", { ...TITLE, ...empty });
    assert.deepEqual(padded.items.map(({ id }) => id), plain.items.map(({ id }) => id));
    assert.ok(plain.items.length > 0);
  },

  "progress is told while an archive is still waited for, rises, and names each archive": (run) =>
    beforeSlowArchive(run, followed),

  "two calls at once are each given their own answer": async ({ open }) => {
    const queries = ["lighthouse", "ishmael"];
    const results = await Promise.all(
      queries.map((query) => open.call("search_inside", { query })),
    );
    assert.deepEqual(results.map((result) => result.structuredContent.query), queries);
  },

  "a call that is given up stops asking, is never answered, and blocks no other": (run) =>
    beforeSlowArchive(run, givenUp),

  "every message from the server was understood": async ({ open }) => {
    assert.deepEqual(open.errors, []);
  },

  "the client understood the schemas without a complaint": async ({ complaints }) => {
    assert.deepEqual(complaints, []);
  },

  "the process ends by itself once its input is closed": async ({ open }) => {
    const { took, gone } = await open.close();
    assert.ok(took < PROMPT_END, `it took ${Math.round(took)} ms`);
    assert.ok(gone, "it still runs");
  },

  "nothing was written to stderr": async ({ open }) => {
    assert.equal(open.stderr, "");
  },
};

/** Ask what must be answered, and return the structured answer once the text says the same. */
async function answered({ open }, tool, args) {
  const result = await open.call(tool, args);
  const told = textOf(result);
  assert.ok(!result.isError, told);
  const answer = result.structuredContent;
  const rows = answer.hits ?? answer.items ?? [answer.item];
  assert.ok(rows.length > 0, told);
  for (const row of rows) {
    for (const fact of [row.id, row.title, row.source_url]) {
      assert.ok(fact && told.includes(fact), `the text lacks ${fact}:\n${told}`);
    }
  }
  await assertValidated(open, tool, answer);
  return answer;
}

/** Hold `answer` to the published schema, apart from what the client does about it. */
async function assertValidated(open, tool, answer) {
  const { tools } = await open.client.listTools();
  const { outputSchema } = tools.find(({ name }) => name === tool);
  const validate = new AjvJsonSchemaValidator().getValidator(outputSchema);
  const { valid, errorMessage } = validate(answer);
  assert.ok(valid, errorMessage);
  const [required] = outputSchema.required;
  assert.ok(!validate({ ...answer, [required]: { wrong: true } }).valid, "anything would pass");
}

/** Ask what must be refused, and return the text: a client may check structured content. */
async function refused(open, tool, args) {
  const result = await open.call(tool, args);
  assert.equal(result.isError, true, textOf(result));
  assert.equal(result.structuredContent, undefined);
  return textOf(result);
}

function textOf(result) {
  return result.content.map((part) => part.text).join("\n");
}

/** Run `check` on a server whose archives are the demonstration's, behind one that can wait. */
async function beforeSlowArchive(run, check) {
  const { hits } = await answered(run, "search_inside", PHRASE);
  const { origin } = new URL(hits.find((hit) => hit.source === "loc").source_url);
  const archive = await SlowArchive.before(origin);
  const at = (source) => `${archive.origin}/demonstration/${source}`;
  const env = {
    ...run.server.env,
    BOOKS_ARCHIVE_URL: at("archive"),
    BOOKS_LOC_URL: at("loc"),
    BOOKS_BNF_URL: at("bnf"),
  };
  try {
    const open = await Connection.open(run.open.kind, { ...run.server, env });
    try {
      await open.client.listTools();
      await check(open, archive);
    } finally {
      await open.close();
    }
    assert.equal(open.stderr, "");
  } finally {
    archive.close();
  }
}

async function followed(open, archive) {
  const held = archive.holding("/demonstration/loc");
  const seen = [];
  let heard;
  const first = new Promise((told) => (heard = told));
  const onprogress = (progress) => {
    seen.push(progress);
    heard();
  };
  const args = { ...PHRASE, sources: ["loc", "archive"] };
  const call = pending(open.call("search_inside", args, { onprogress }));
  await within(held, "the slow archive was asked");
  await within(first, "the quick archive was told of");
  assert.deepEqual(seen, [{ progress: 1, total: 2, message: "Internet Archive" }]);

  archive.answering();
  const result = await within(call, "the call was answered");
  assert.ok(!result.isError, textOf(result));
  const sent = open.received.slice(-2);
  const { progressToken, ...last } = sent[0].params;
  assert.deepEqual(last, { progress: 2, total: 2, message: "Library of Congress" });
  assert.ok(sent[1].result, "the answer comes after the last progress");
  // The clients hand an answer over before a progress that came in the same piece just ahead of it,
  // and then call that progress unknown.
  const unknown = open.errors.filter((error) => error.includes("for an unknown token"));
  assert.deepEqual(open.errors, unknown);
  assert.equal(seen.length + unknown.length, 2);
}

async function givenUp(open, archive) {
  const held = archive.holding("/demonstration/loc");
  const controller = new AbortController();
  const { signal } = controller;
  const slow = open.call("search_inside", { ...PHRASE, sources: ["loc"] }, { signal });
  const rejected = pending(assert.rejects(slow, /enough/));
  await within(held, "the archive was asked");
  const asked = open.sent.at(-1).id;

  const beside = pending(open.call("search_inside", { ...PHRASE, sources: ["archive"] }));
  const other = await within(beside, "another call was answered");
  assert.ok(other.structuredContent.hits.length > 0, textOf(other));

  controller.abort(new Error("enough"));
  await within(rejected, "the call was given up");
  await within(archive.callersGone(), "the server let go of the archive");
  const cancelled = open.sent.filter(({ method }) => method === "notifications/cancelled");
  assert.deepEqual(cancelled.map(({ params }) => params.requestId), [asked]);

  archive.answering();
  const again = pending(open.call("search_inside", { ...PHRASE, sources: ["loc"] }));
  const next = await within(again, "the next call was answered");
  assert.ok(next.structuredContent.hits.length > 0, textOf(next));
  assert.deepEqual(open.received.filter(({ id }) => id === asked), []);
  assert.deepEqual(open.errors, []);
}

/** Return `promise`, which may fail unheard where the step fails before it comes to wait for it. */
function pending(promise) {
  promise.catch(() => {});
  return promise;
}

async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${PATIENCE} ms: ${what}`)), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
