// A YAML file with its lines: every mistake in it is told as file:line, the field, the value and what is allowed.

import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { InputError, inputMistake } from '../input-error.ts';
import { firstMistake } from './issues.ts';

/** Bytes at most; a scenario has a few thousand. */
const MAX_SIZE = 1_000_000;

export class SourceFile {
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
  readonly #document: Document;
  readonly #lines: LineCounter;

  private constructor(name: string, text: string, document: Document, lines: LineCounter) {
    this.name = name;
    this.text = text;
    this.#document = document;
    this.#lines = lines;
    this.value = document.toJS({ maxAliasCount: 100 });
  }

  /** @throws InputError when it can not be read or is no YAML */
  static read(path: string): SourceFile {
    return SourceFile.parse(path, readText(path));
  }

  static parse(name: string, text: string): SourceFile {
    const lines = new LineCounter();
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: true,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new InputError(
        `${name}:${line}: column ${col}: not YAML: ${error.message.split('\n')[0]}; allowed: a YAML 1.2 mapping`,
      );
    }
    const refused = (node: Node, what: string) =>
      inputMistake(`${name}:${lines.linePos(node.range?.[0] ?? 0).line}`, '(the file)', what, 'plain YAML values');
    visit(document, {
      Alias: (_, node) => {
        throw refused(node, `the alias *${node.source}`);
      },
      Pair: (_, { key }) => {
        if (isNode(key) && !isScalar(key)) throw refused(key, 'a mapping key that is no plain value');
      },
    });
    return new SourceFile(name, text, document, lines);
  }

  /** Parses a value found at `path` of this file. */
  check<T>(schema: z.ZodType<T>, value: unknown, path: readonly PropertyKey[] = []): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const mistake = firstMistake(parsed.error);
    throw this.mistake([...path, ...mistake.path], valueAt(value, mistake.path), mistake.allowed, mistake.isKey);
  }

  /** The error for the value at `path`; with `isKey` the key itself is what is wrong. */
  mistake(path: readonly PropertyKey[], got: unknown, allowed: string, isKey = false): InputError {
    const field = path.length === 0 ? '(the whole file)' : path.map(String).join('.');
    const what = isKey ? String(path.at(-1)) : got;
    return inputMistake(
      `${this.name}:${this.#lineOf(path)}`,
      isKey ? `${field} (name of a field)` : field,
      what,
      allowed,
    );
  }

  /** Line of the deepest part of the path that the file has. */
  #lineOf(path: readonly PropertyKey[]): number {
    let node: unknown = this.#document.contents;
    let found: Node | null = isNode(node) ? node : null;
    for (const key of path) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
        if (pair === undefined) break;
        if (isNode(pair.key)) found = pair.key;
        node = pair.value;
      } else {
        node = this.#document.getIn(path.slice(0, path.indexOf(key) + 1), true);
        if (isNode(node)) found = node;
      }
    }
    return found?.range ? this.#lines.linePos(found.range[0]).line : 1;
  }
}

function readText(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new InputError(
      `${path}:1: (the whole file): can not be read (${code}); allowed: a scenario file, or the name of a preset`,
    );
  }
  if (text.length > MAX_SIZE)
    throw inputMistake(`${path}:1`, '(the whole file)', `${text.length} characters`, `up to ${MAX_SIZE}`);
  return text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}
