// The text of a header field as a whole number, or the name of what is wrong with it. Apart, because it is the one door
// for numbers: nothing here or behind it guesses, as parseInt and Number do.

import type { InvalidReason } from './told-wait.ts';

const DIGITS = /^[0-9]+$/;

/** Asked in order. None of them looks back, so a text of any length takes one pass. */
const FAULTS: readonly (readonly [RegExp, InvalidReason])[] = [
  [/^$/, 'empty'],
  [/^[+-]?(?:inf|infinity|nan)$/i, 'not finite'],
  [/^-\.?[0-9]/, 'negative number'],
  [/^\+\.?[0-9]/, 'plus sign'],
  [/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)e[+-]?[0-9]+$/i, 'exponent'],
  [/^(?:[0-9]+\.[0-9]*|\.[0-9]+)$/, 'fraction'],
  [/^[0-9]+[ \t]*,/, 'doubled'],
  [/^[0-9]/, 'text after the digits'],
];

/**
 * Reads 1*DIGIT with nothing around it.
 * @returns the number, Infinity for hundreds of digits; else what is wrong with the text
 */
export function readWholeNumber(text: string): number | InvalidReason {
  if (DIGITS.test(text)) return Number(text);
  return FAULTS.find(([looks]) => looks.test(text))?.[1] ?? 'not a number';
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

/** Takes off outer spaces and tabs, the only blanks that HTTP allows around a field. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}
