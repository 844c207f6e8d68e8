// Options of the command line that need a check of their own, and their one-line mistakes.

import { inputMistake } from '../input-error.ts';

/** A whole number within bounds, or a mistake that names the option. */
export function intOption(name: string, min: number, max: number): (value: unknown) => number {
  return (value) => {
    const given = value;
    const number =
      typeof given === 'number'
        ? given
        : typeof given === 'string' && /^[0-9]+$/.test(given)
          ? Number(given)
          : Number.NaN;
    if (!Number.isSafeInteger(number) || number < min || number > max) {
      throw inputMistake('command line', name, given, `a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

/** A number within bounds, or a mistake that names the option. */
export function numberOption(name: string, min: number, max: number): (value: unknown) => number {
  return (value) => {
    const number = typeof value === 'number' ? value : Number.NaN;
    if (!(number >= min && number <= max))
      throw inputMistake('command line', name, value, `a number from ${min} to ${max}`);
    return number;
  };
}
