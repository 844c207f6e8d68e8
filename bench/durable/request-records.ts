// The platform's records of a served night, one JSON line a request, written before the reply is sent: what is left when its
// process dies, and enough to bring the platform back to where it was.

import type { Platform } from '../../platform-sim/platform.ts';
import type { PlatformRequest, Verdict, VerdictClass } from '../../platform-sim/types.ts';
import { LineLog, type LinesRead, readLines } from '../books/line-log.ts';
import { InputError } from '../input-error.ts';

/** The first line: which night it is. */
export interface RecordsHead {
  readonly records: 'retry-storm-bench platform';
  readonly version: 1;
  readonly scenario_hash: string;
  readonly seed: number;
}

export interface RequestRecord {
  readonly client: string;
  readonly ordinal: number;
  readonly item: number | null;
  readonly host: string | null;
  /** Scenario time. */
  readonly arrived_ms: number;
  readonly verdict: VerdictClass;
  readonly billed: boolean;
}

export function headOf(night: { readonly scenarioHash: string; readonly seed: number }): RecordsHead {
  const { scenarioHash, seed } = night;
  return { records: 'retry-storm-bench platform', version: 1, scenario_hash: scenarioHash, seed };
}

/** @throws InputError when the file is damaged or none of ours */
export function readRecords(path: string): LinesRead<RequestRecord> & { readonly head: RecordsHead | undefined } {
  return split(path, readLines<RecordsHead | RequestRecord>(path));
}

function split(path: string, lines: LinesRead<RecordsHead | RequestRecord>) {
  const [head, ...rest] = lines.records;
  if (head !== undefined && !('records' in head))
    throw new InputError(`${path}:1: got a line without a head; allowed: a file of records of a served platform`);
  return { ...lines, head, records: rest as RequestRecord[] };
}

/** The records of one served platform, on which it goes on writing. */
export class RequestRecords {
  readonly #log: LineLog<RecordsHead | RequestRecord>;
  /** What earlier processes wrote. */
  readonly before: readonly RequestRecord[];
  /** Bytes of a record that was being written when the last process died; its request was never answered. */
  readonly tornBytes: number;

  /** @throws InputError when they are another night's, or damaged */
  constructor(path: string, head: RecordsHead) {
    this.#log = new LineLog(path, false);
    const { records, head: found, tornBytes } = split(path, this.#log.before);
    if (found === undefined) this.#log.add(head);
    else if (JSON.stringify(found) !== JSON.stringify(head)) {
      this.#log.close();
      throw new InputError(`${path}:1: got the records of another night; allowed: those of this scenario and seed`);
    }
    this.before = records;
    this.tornBytes = tornBytes;
  }

  add(ordinal: number, request: PlatformRequest, nowMs: number, { verdictClass, billed }: Verdict): void {
    const { client, item = null, host = null } = request;
    this.#log.add({ client, ordinal, item, host, arrived_ms: nowMs, verdict: verdictClass, billed });
  }

  close(): void {
    this.#log.close();
  }
}

/**
 * Brings a new platform to where the records end, by deciding on every request again: quota, buckets, books and the draws
 * that are keyed by how often an item was asked for all follow from them.
 * @returns scenario time of the last request, 0 without one
 * @throws InputError when a verdict comes out differently, which says that the records are not of this platform
 */
export function restore(platform: Platform, records: readonly RequestRecord[]): number {
  let nowMs = 0;
  records.forEach(({ client, item, host, arrived_ms, verdict }, index) => {
    nowMs = arrived_ms;
    const again = platform.decide({ client, item: item ?? undefined, host: host ?? undefined }, nowMs);
    if (again.verdictClass !== verdict)
      throw new InputError(
        `record ${index + 1}: got ${verdict}; allowed: ${again.verdictClass}, as this platform decides`,
      );
  });
  return nowMs;
}
