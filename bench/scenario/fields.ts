// Building blocks of the scenario schema: numbers with bounds, objects that know their fields, and the change from the
// snake_case of files to the camelCase of code, for values and for the compiler.

import { z } from 'zod';
import { MAX_HOSTS } from '../../clients/hosts.ts';
import { HOST_NAME } from '../../platform-sim/wire.ts';

/** An object with exactly these fields; an unknown one is told together with those that are allowed. */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `the fields ${Object.keys(shape).join(', ')}` : undefined),
  });
}

/** A whole number of milliseconds that a timer can take. */
export const wholeMs = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
export const positiveMs = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
/** A share or a probability. */
export const share = z.number().min(0).max(1);
export const count = z.int().min(1).max(1_000_000_000);

/** Names of hosts; one that is there twice counts twice. */
export const hosts = z
  .array(z.string().regex(HOST_NAME, { error: 'a host name in small letters, without a port' }))
  .min(1)
  .max(MAX_HOSTS);

/** `[low, high]`, low not above high. */
export const rangeMs = z
  .tuple([wholeMs, wholeMs])
  .refine(([low, high]) => low <= high, { error: 'two whole numbers of milliseconds, the lower one first' });

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;
/** The type with its keys in camelCase, at every depth. */
export type Camel<T> = T extends readonly [infer A, infer B]
  ? readonly [Camel<A>, Camel<B>]
  : T extends readonly (infer Element)[]
    ? readonly Camel<Element>[]
    : T extends object
      ? { readonly [Key in keyof T as CamelKey<Key>]: Camel<T[Key]> }
      : T;

const camelKey = (key: string): string => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `true` when two types say the same. */
export type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** The value with its keys in camelCase, at every depth. */
export function camel<T>(value: T): Camel<T> {
  if (Array.isArray(value)) return value.map(camel) as Camel<T>;
  if (typeof value !== 'object' || value === null) return value as Camel<T>;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelKey(key), camel(inner)])) as Camel<T>;
}

const snakeKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The way back: keys in snake_case, at every depth. */
export function snake(value: object): Record<string, unknown> {
  const inner = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(inner);
    return typeof each === 'object' && each !== null ? snake(each) : each;
  };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [snakeKey(key), inner(each)]));
}
