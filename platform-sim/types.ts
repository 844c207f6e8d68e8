// The platform's vocabulary: what arrives, what a gate answers, what a verdict is. Types only, so that gates, meter and
// adapters can share them without importing one another.

/** Every way in which a request can end, in the order of the columns of the platform's books. */
export const VERDICT_CLASSES = [
  'ok',
  'error500',
  'error503',
  'edge',
  'soft',
  'quota',
  'unavailable',
  /** Billed, and answered with a status that has no class of its own. */
  'other',
] as const;
export type VerdictClass = (typeof VERDICT_CLASSES)[number];

/** Classes of a 429, as told by the limit-kind header and the JSON body. */
export type LimitKind = 'edge' | 'soft' | 'quota';

export interface PlatformRequest {
  /** Name of the client that sent it; unkeyed requests are numbered per client. */
  readonly client: string;
  /** Number of the item asked for, or undefined when the request names none. */
  readonly item: number | undefined;
  /** Name of the host asked; the platform's own when it is left out. */
  readonly host?: string | undefined;
}

/** A request on its way through the gates. `billed` is set by the billing gate and never unset. */
export interface Arrival {
  readonly nowMs: number;
  /** What random draws are keyed by, together with `ordinal`: the item, or a hash of the client's name. */
  readonly key: number;
  /** How many requests with this key arrived before this one. */
  readonly ordinal: number;
  readonly host: string;
  billed: boolean;
  /** Set by a gate that serves the request and loses the reply. */
  lost: boolean;
}

/** A gate's answer when it does not pass the request on. */
export interface Refusal {
  readonly verdictClass: Exclude<VerdictClass, 'ok'>;
  readonly status: number;
  readonly limitKind?: LimitKind;
  /** Value of the Retry-After header, or undefined to send none. */
  readonly retryAfter?: string | undefined;
}

/** One station of the platform. State lives in the gate, settings come from the scenario. */
export interface Gate {
  readonly name: string;
  /** Undefined passes the request on to the next gate. */
  examine(arrival: Arrival): Refusal | undefined;
}

/** What the platform decided; the adapter waits `latencyMs` and then sends it. */
export interface Verdict {
  readonly verdictClass: VerdictClass;
  readonly status: number;
  readonly billed: boolean;
  readonly latencyMs: number;
  /** Whether the connection breaks instead of bringing the reply. */
  readonly lost: boolean;
  readonly limitKind: LimitKind | undefined;
  readonly retryAfter: string | undefined;
}
