// A server in a process of its own, and each generation of the official client connected to it.

import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";

const MOST_STDERR = 1_000_000;
const WHO = { name: "mcp-books-tests", version: "0" };

const first = {
  connected: () => new Client1(WHO),
  Transport: Stdio1,
  call: (client, params, options) => client.callTool(params, undefined, options),
};

const second = (options) => ({
  connected: () => new v2.Client(WHO, options),
  Transport: Stdio2,
  call: (client, params, options) => client.callTool(params, options),
});

export const CLIENTS = {
  "sdk-1": { ...first, protocol: "2025-11-25" },
  "client-2": { ...second({}), protocol: "2025-11-25" },
  "client-2-no-handshake": {
    ...second({ versionNegotiation: { mode: "auto" } }),
    protocol: "2026-07-28",
  },
};

const started = new Set();

/** End every server that was started and may still run. */
export function killAll() {
  for (const pid of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
}

/** One connection; what went over it is kept as it came. */
export class Connection {
  sent = [];
  received = [];
  errors = [];
  stderr = "";

  static async open(kind, { command, args, env }) {
    const opened = new Connection();
    opened.kind = kind;
    const transport = new kind.Transport({ command, args, env, stderr: "pipe" });
    transport.stderr.on("data", (part) => (opened.stderr = (opened.stderr + part).slice(-MOST_STDERR)));
    transport.onmessage = (message) => opened.received.push(message);
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      opened.sent.push(message);
      return send(message, options);
    };
    opened.transport = transport;
    opened.client = kind.connected();
    opened.client.onerror = (error) => opened.errors.push(String(error));
    const start = transport.start.bind(transport);
    transport.start = async () => {
      await start();
      started.add(transport.pid);
    };
    await opened.client.connect(transport);
    return opened;
  }

  /** The version both sides speak: agreed in a handshake, or carried by every request. */
  get protocol() {
    const greeting = this.received.find((message) => message.result?.protocolVersion);
    return greeting?.result.protocolVersion ?? this.client.getNegotiatedProtocolVersion();
  }

  call(name, args, options) {
    return this.kind.call(this.client, { name, arguments: args }, options);
  }

  /** Close the input and return how many milliseconds the process then took to end. */
  async close() {
    const { pid } = this.transport;
    const started = performance.now();
    await this.client.close();
    const took = performance.now() - started;
    return { took, gone: !isRunning(pid) };
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
    return false;
  }
}
