// From what the schema library says about a value to what a user needs to hear: the field and what is allowed there.

import type { z } from 'zod';

export interface Mistake {
  readonly path: readonly PropertyKey[];
  /** The mistake is the key itself, not its value. */
  readonly isKey: boolean;
  readonly allowed: string;
}

type Issue = z.core.$ZodIssue;

/** The first mistake of a failed parse. */
export function firstMistake(error: z.ZodError): Mistake {
  const [issue] = error.issues;
  if (issue === undefined) throw new Error('the schema refused a value and gave no issue');
  return toMistake(issue, []);
}

function toMistake(issue: Issue, prefix: readonly PropertyKey[]): Mistake {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = likeliestBranch(issue.errors);
    if (branch !== undefined) return toMistake(branch, path);
  }
  if (issue.code === 'unrecognized_keys') {
    return { path: [...path, issue.keys[0] ?? ''], isKey: true, allowed: issue.message };
  }
  return { path, isKey: issue.code === 'invalid_key', allowed: allowed(issue) };
}

/** Of a union that nothing discriminates: the branch whose fields were all known, else the one with the fewest issues. */
function likeliestBranch(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const rank = (issues: readonly Issue[]) =>
    issues.some((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0) ? 1000 : issues.length;
  return [...branches].sort((a, b) => rank(a) - rank(b))[0]?.[0];
}

function allowed(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `a value of type ${issue.expected}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && issue.options !== undefined
        ? `one of ${issue.options.map(String).join(', ')}`
        : issue.message;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

function unit(origin: string): string {
  if (origin === 'array') return ' entries';
  return origin === 'string' ? ' characters' : '';
}
