// A client that gives up at once, and says by how much its calendar is ahead of its monotonic clock since it was loaded.

const ahead = () => Math.round(Date.now() - performance.now());
const atFirst = ahead();

export default async function item() {
  throw Object.assign(new Error('the time'), { code: `ahead ${ahead() - atFirst}` });
}
