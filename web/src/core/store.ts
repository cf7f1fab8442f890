/** A value that tells its listeners when it is replaced. */
export class Store<T> {
  private listeners = new Set<(value: T, before: T) => void>();
  private held: T;

  constructor(initial: T) {
    this.held = initial;
  }

  get value(): T {
    return this.held;
  }

  /** Replace the value; listeners hear the new and the old one. */
  set(value: T): void {
    if (Object.is(value, this.held)) return;
    const before = this.held;
    this.held = value;
    for (const listener of [...this.listeners]) if (this.listeners.has(listener)) listener(value, before); // one may end another
  }

  /** Replace some fields of an object. */
  patch(part: Partial<T>): void {
    this.set({ ...this.held, ...part });
  }

  /** Hear every change from now on; the answer ends it. */
  listen(listener: (value: T, before: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Hear the value now and every change. */
  follow(listener: (value: T, before: T) => void): () => void {
    listener(this.held, this.held);
    return this.listen(listener);
  }
}
