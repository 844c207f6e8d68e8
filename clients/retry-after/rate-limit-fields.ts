// The fields RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers. Apart, because they are structured
// fields, read by a library, where the other headers are plain text.

import { type Item, isInnerList, type List, parseList, Token } from 'structured-headers';
import { type InvalidReason, invalidWait, type ToldWait, waitFor } from './told-wait.ts';

export interface LimitState {
  readonly policy: string;
  /** `r`: quota units that are left. */
  readonly remaining: number | undefined;
  /** `t`: seconds until the quota is restored; a length, never a timestamp. */
  readonly resetS: number | undefined;
}

export interface LimitPolicy {
  readonly policy: string;
  /** `q`: quota units in a window. */
  readonly quota: number | undefined;
  /** `w`: length of the window. */
  readonly windowS: number | undefined;
}

export interface Unreadable {
  readonly invalid: InvalidReason;
}

interface Entry {
  readonly policy: string;
  readonly first: number | undefined;
  readonly second: number | undefined;
}

const SOURCE = 'ratelimit';

function readList(text: string): List | undefined {
  try {
    return parseList(text);
  } catch {
    return undefined;
  }
}

/** A name in quotes, as the draft has it now, or bare, as when the field was a dictionary: `default;r=0;t=5`. */
function nameOf([name]: Item): string | undefined {
  return typeof name === 'string' || name instanceof Token ? String(name) : undefined;
}

/** A parameter that is a whole number of at least 0; undefined when it is not there, null when it is anything else. */
function wholeNumber([, parameters]: Item, key: string): number | undefined | null {
  const value = parameters.get(key);
  if (value === undefined) return undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

/** One unreadable entry makes the field unreadable, as any fault makes a structured field fail whole. */
function readEntries(text: string, firstKey: string, secondKey: string): Entry[] | Unreadable {
  const list = readList(text);
  if (list === undefined) return { invalid: 'not a structured field' };
  const entries: Entry[] = [];
  for (const member of list) {
    const policy = isInnerList(member) ? undefined : nameOf(member);
    if (isInnerList(member) || policy === undefined) return { invalid: 'policy without a name' };
    const first = wholeNumber(member, firstKey);
    const second = wholeNumber(member, secondKey);
    if (first === null || second === null) return { invalid: 'parameter is no whole number' };
    entries.push({ policy, first, second });
  }
  return entries;
}

/** Reads a RateLimit field: `"default";r=0;t=5`. Parameters it does not know, such as `pk`, are passed over. */
export function parseRateLimit(text: string): LimitState[] | Unreadable {
  const entries = readEntries(text, 'r', 't');
  if ('invalid' in entries) return entries;
  return entries.map(({ policy, first, second }) => ({ policy, remaining: first, resetS: second }));
}

/** Reads a RateLimit-Policy field: `"burst";q=100;w=60, "daily";q=1000;w=86400`. */
export function parseRateLimitPolicy(text: string): LimitPolicy[] | Unreadable {
  const entries = readEntries(text, 'q', 'w');
  if ('invalid' in entries) return entries;
  return entries.map(({ policy, first, second }) => ({ policy, quota: first, windowS: second }));
}

/** The wait that a RateLimit field tells: until the last of the exhausted policies is restored; absent when none is. */
export function waitFromRateLimit(text: string): ToldWait {
  const limits = parseRateLimit(text);
  if ('invalid' in limits) return invalidWait(limits.invalid, SOURCE, text);
  const exhausted = limits.filter(({ remaining }) => remaining === 0);
  if (exhausted.length === 0) return { kind: 'absent' };
  const resetsS = exhausted.flatMap(({ resetS }) => resetS ?? []);
  if (resetsS.length === 0) return invalidWait('exhausted without a reset', SOURCE, text);
  return waitFor(Math.max(...resetsS) * 1000, SOURCE, text);
}
