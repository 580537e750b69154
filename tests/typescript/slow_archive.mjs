// An archive that keeps its callers waiting: passes requests on to another address, or holds them.

import http from "node:http";

export class SlowArchive {
  #origin;
  #server;
  #prefix = null;
  #held = [];
  #reached = () => {};

  /** Listen on loopback in front of `origin`. */
  static async before(origin) {
    const archive = new SlowArchive();
    archive.#origin = origin;
    archive.#server = http.createServer((request, response) => archive.#serve(request, response));
    await new Promise((listening) => archive.#server.listen(0, "127.0.0.1", listening));
    return archive;
  }

  get origin() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** From now on answer nothing below `prefix`; resolves once a request is held. */
  holding(prefix) {
    this.#prefix = prefix;
    return new Promise((reached) => (this.#reached = reached));
  }

  /** Resolves once every caller that is held has gone away. */
  async callersGone() {
    await Promise.all(this.#held.map(({ gone }) => gone));
  }

  /** Answer whoever still waits, and everybody from now on. */
  answering() {
    this.#prefix = null;
    for (const { request, response } of this.#held.splice(0)) {
      if (!response.destroyed) passOn(this.#origin, request, response);
    }
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #serve(request, response) {
    if (this.#prefix === null || !request.url.startsWith(this.#prefix)) {
      passOn(this.#origin, request, response);
      return;
    }
    const gone = new Promise((left) => response.once("close", left));
    this.#held.push({ request, response, gone });
    this.#reached();
  }
}

function passOn(origin, request, response) {
  const here = `http://${request.headers.host}`;
  const { "accept-encoding": _, ...headers } = request.headers;
  const onward = http.request(origin + request.url, { method: request.method, headers }, (answer) => {
    const parts = [];
    answer.on("data", (part) => parts.push(part));
    answer.on("end", () => {
      // The addresses of its records are its own, and a record elsewhere is not believed.
      const body = Buffer.concat(parts).toString().replaceAll(origin, here);
      const { "content-type": type } = answer.headers;
      response.writeHead(answer.statusCode, { "content-type": type }).end(body);
    });
  });
  onward.on("error", (error) => response.destroy(error));
  request.pipe(onward);
}
