import type { ErrorBody, Operations } from "../messages";
import { type Frame, readFrame } from "./frames";
import { Store } from "./store";

/** What a request is answered with: the answer's fields, or a frame. */
export type Answer<Op extends keyof Operations> = Operations[Op]["frame"] extends true ? Frame<Operations[Op]["answer"]> : Operations[Op]["answer"];

export type Link = "connecting" | "open" | "lost" | "refused";
type Told = (progress: number | null, note: string) => void;

/** A request that the server refused or could not answer; `kind` as in the messages. */
export class Refused extends Error {
  readonly kind: ErrorBody["kind"];
  readonly where: string;

  constructor(error: ErrorBody) {
    super(error.message);
    this.kind = error.kind;
    this.where = error.where;
  }
}

export interface Job<Op extends keyof Operations> {
  done: Promise<Answer<Op>>;
  cancel(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
  told?: Told;
}

const RETRY = [200, 400, 800, 1600, 3000]; // [ms] between attempts to come back
const NO_TOKEN = 4401;

/** The WebSocket: requests by id, answers, progress, binary frames; it comes back by itself. */
export class Connection {
  readonly link = new Store<Link>("connecting");
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private attempt = 0;
  private greeted: ((hello: Operations["hello"]["answer"]) => void)[] = [];

  constructor(
    private readonly address: string,
    private token: string,
  ) {}

  /** Hear the server's greeting, now and after every return. */
  onHello(listener: (hello: Operations["hello"]["answer"]) => void): void {
    this.greeted.push(listener);
  }

  /** When the connection stands (again). */
  opened(): Promise<void> {
    if (this.link.value === "open") return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.link.listen((link) => {
        if (link !== "open") return;
        stop();
        resolve();
      });
    });
  }

  open(token = this.token): void {
    this.token = token;
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.greet(socket);
    socket.onmessage = (event) => this.hear(event.data as string | ArrayBuffer);
    socket.onclose = (event) => this.closed(socket, event.code);
  }

  private greet(socket: WebSocket): void {
    const id = this.next++;
    const resolve = (hello: unknown): void => {
      this.attempt = 0;
      this.link.set("open");
      for (const listener of this.greeted) listener(hello as Operations["hello"]["answer"]);
    };
    this.waiting.set(id, { resolve, reject: () => socket.close() });
    socket.send(JSON.stringify({ id, op: "hello", token: this.token }));
  }

  private closed(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    const gone = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of gone) reject(new Refused({ message: "The server has gone away.", where: "", kind: "cancelled" }));
    if (code === NO_TOKEN) {
      this.link.set("refused");
      return;
    }
    this.link.set("lost");
    const pause = RETRY[Math.min(this.attempt++, RETRY.length - 1)];
    setTimeout(() => this.open(), pause);
  }

  private hear(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const frame = readFrame(data);
      this.take(frame.id)?.resolve(frame);
      return;
    }
    const message = JSON.parse(data) as { id: number; ok?: boolean; error?: ErrorBody; progress?: number | null; note?: string };
    if (message.ok === undefined) {
      this.waiting.get(message.id)?.told?.(message.progress ?? null, message.note ?? "");
    } else if (message.ok) {
      this.take(message.id)?.resolve(message);
    } else if (message.error) {
      this.take(message.id)?.reject(new Refused(message.error));
    }
  }

  private take(id: number): Waiting | undefined {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found;
  }

  private send(id: number, op: string, body: object): void {
    if (this.socket?.readyState !== WebSocket.OPEN || this.link.value !== "open") {
      this.take(id)?.reject(new Refused({ message: "There is no connection to the server.", where: "", kind: "cancelled" }));
      return;
    }
    this.socket.send(JSON.stringify({ ...body, id, op }));
  }

  /** Ask one thing; jobs tell their progress and can be cancelled. */
  job<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"], told?: Told): Job<Op> {
    const id = this.next++;
    const done = new Promise<Answer<Op>>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, told });
    });
    this.send(id, op, body as object);
    const cancel = (): void => {
      if (this.waiting.has(id) && this.link.value === "open") {
        this.socket?.send(JSON.stringify({ id: this.next++, op: "cancel", target: id }));
      }
    };
    return { done, cancel };
  }
}

/** Keeps one request under way and the newest waiting: answers to older ones are never asked for. */
export class Latest<Request, Reply> {
  private busy = false;
  private wanted: Request | null = null;

  constructor(
    private readonly ask: (request: Request) => Promise<Reply>,
    private readonly answer: (reply: Reply, request: Request) => void,
    private readonly failed: (error: Error, request: Request) => void = () => undefined,
  ) {}

  want(request: Request): void {
    this.wanted = request;
    if (!this.busy) void this.run();
  }

  /** Forget what waits; an answer under way is still told. */
  drop(): void {
    this.wanted = null;
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.wanted !== null) {
      const request = this.wanted;
      this.wanted = null;
      try {
        this.answer(await this.ask(request), request);
      } catch (error) {
        this.failed(error as Error, request);
      }
    }
    this.busy = false;
  }
}
