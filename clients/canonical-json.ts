// One text for one JSON value: keys sorted at every depth, no spaces, so that the same request has the same hash however
// it was written. What JSON can not hold is refused, because dropping it would give two requests one text.

/** Objects and arrays inside each other at most; a request is never that deep, and the stack is not endless. */
const MAX_DEPTH = 100;

interface Walk {
  /** Keys and indices that lead to the value at hand. */
  readonly path: (string | number)[];
  /** The objects and arrays on that way: one that comes again is a cycle. */
  readonly around: Set<object>;
}

/**
 * Keys are sorted by their UTF-16 units, numbers and strings written as JSON.stringify does; members that are undefined
 * are left out.
 * @throws TypeError with the path of what JSON can not hold: NaN, Infinity, bigint, functions, symbols, undefined outside
 *   an object, objects of a class (a Map would be `{}`), cycles, more than 100 levels
 */
export function canonicalJson(value: unknown): string {
  return write(value, { path: [], around: new Set() });
}

function write(value: unknown, walk: Walk): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : refuse(walk, String(value));
  if (typeof value !== 'object') return refuse(walk, typeof value);
  if (walk.around.has(value)) return refuse(walk, 'a cycle');
  if (walk.around.size >= MAX_DEPTH) return refuse(walk, `more than ${MAX_DEPTH} levels`);
  walk.around.add(value);
  const text = Array.isArray(value) ? writeArray(value, walk) : writeObject(value, walk);
  walk.around.delete(value);
  return text;
}

function writeArray(values: readonly unknown[], walk: Walk): string {
  // Array.from, because map() would leave holes as they are.
  return `[${Array.from(values, (value, index) => writeAt(index, value, walk)).join(',')}]`;
}

function writeObject(value: object, walk: Walk): string {
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) return refuse(walk, 'an object of a class');
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${writeAt(key, member, walk)}`);
  return `{${members.join(',')}}`;
}

function writeAt(key: string | number, value: unknown, walk: Walk): string {
  walk.path.push(key);
  const text = write(value, walk);
  walk.path.pop();
  return text;
}

function refuse({ path }: Walk, what: string): never {
  const steps = path.map((key) => (/^[A-Za-z_$][\w$]*$/.test(String(key)) ? `.${key}` : `[${JSON.stringify(key)}]`));
  throw new TypeError(`JSON can not hold ${what}, at $${steps.join('')}`);
}
