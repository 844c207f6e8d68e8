// The first success of a request answers its repeats (seed 003, step four), so that a retried call whose answer differs
// every time gives one answer. The key is the request's content; reordered or spaced JSON is the same request (case A24).

import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/**
 * SHA-256 of the canonical JSON, in hex. All that makes an answer another one belongs into the request: method, path, body.
 * @throws TypeError with the path of what JSON can not hold
 */
export function requestKey(request: unknown): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

/** Responses are kept and handed out as they are, not copied. */
export class ResponseCache<Response> {
  readonly #maxEntries: number;
  /** A Map keeps the order of insertion: its first key is the oldest. */
  readonly #responses = new Map<string, Response>();
  hits = 0;
  misses = 0;

  /** @throws RangeError unless maxEntries is a whole number from 1 */
  constructor(maxEntries: number) {
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
      throw new RangeError(`maxEntries is to be a whole number from 1, not ${maxEntries}`);
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#responses.size;
  }

  /** The response stored first for this request; undefined when there is none, or no more. Counts a hit or a miss. */
  get(request: unknown): Response | undefined {
    const key = requestKey(request);
    if (this.#responses.has(key)) this.hits++;
    else this.misses++;
    return this.#responses.get(key);
  }

  /**
   * Stores a success. When the request has one already nothing changes, its age neither; when it is full, the oldest
   * entry leaves, however often it was read.
   */
  put(request: unknown, response: Response): void {
    const key = requestKey(request);
    if (this.#responses.has(key)) return;
    const [oldest] = this.#responses.keys();
    if (oldest !== undefined && this.#responses.size >= this.#maxEntries) this.#responses.delete(oldest);
    this.#responses.set(key, response);
  }
}
