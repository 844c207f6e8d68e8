// A client that gives up with as many kinds of errors as items, some of them named like parts of objects, and then has the rest.

const ODD = [
  ['constructor', '__proto__', 'done', '', 7].map((code) => Object.assign(new RangeError('x'), { code })),
  [undefined, 'a text', null, 5],
  [Object.assign(new Error('x'), { code: 'L'.repeat(1000) })],
].flat();

export default async function item({ item: number }) {
  if (number <= ODD.length) throw ODD[number - 1];
  if (number <= 60) throw Object.assign(new Error('x'), { code: `E${number}` });
}
