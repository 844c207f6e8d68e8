// An endpoint named on the command line, and headers for it: no other host is called without leave, no secret is on a command line.

import { InputError, inputMistake } from '../input-error.ts';

export interface TargetOptions {
  readonly target: string;
  readonly yesThisIsMine: boolean;
}

/**
 * The endpoint, which must be on this machine unless the user says that it is theirs.
 * @throws InputError
 */
export function targetOf({ target, yesThisIsMine }: TargetOptions): URL {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw inputMistake('command line', '--target', target, 'an http or https URL');
  if (url.username !== '' || url.password !== '')
    throw new InputError('command line: --target: holds a password; allowed: --header-env');
  if (!isLoopback(url.hostname) && !yesThisIsMine) {
    throw inputMistake(
      'command line',
      '--target',
      url.hostname,
      'a loopback host, or any other with --yes-this-is-mine',
    );
  }
  return url;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** Headers that make the message; a wrong one would make it another. */
const OURS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** Values come from the environment, so that no secret stands on a command line; names are told in errors, values never. */
export function headersFrom(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, variable] = /^([A-Za-z0-9-]{1,100})=([A-Za-z_][A-Za-z0-9_]*)$/.exec(pair) ?? [];
      if (name === undefined || variable === undefined)
        throw inputMistake('command line', '--header-env', pair, 'NAME=VARIABLE');
      const value = process.env[variable];
      if (value === undefined) throw inputMistake('command line', '--header-env', variable, 'a variable that is set');
      if (!/^[\x20-\x7e]*$/.test(value))
        throw new InputError(
          `command line: --header-env: ${variable} holds what no header may; allowed: visible ASCII`,
        );
      if (OURS.has(name.toLowerCase()))
        throw inputMistake('command line', '--header-env', name, 'a header that the client does not set itself');
      return [name.toLowerCase(), value];
    }),
  );
}

/**
 * The path of an item at an endpoint; undefined for a platform, which has its own.
 * @throws InputError when the URL says neither
 */
export function itemPathOf(target: string): ((item: number) => string) | undefined {
  const { pathname, search } = new URL(target);
  const path = `${pathname}${search}`.replaceAll('%7Bitem%7D', '{item}');
  if (path === '/') return undefined;
  if (!path.includes('{item}'))
    throw inputMistake('command line', '--target', target, 'the URL of a platform, or one with {item} in its path');
  return (item) => path.replaceAll('{item}', String(item));
}
