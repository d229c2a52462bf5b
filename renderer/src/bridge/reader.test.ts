import { expect, it } from 'vitest';
import { Reader, type Told } from './reader.js';

function setUp() {
  const told: Told<string>[] = [];
  const reader = new Reader<string>((state) => told.push(state));
  const asked: { before: string | undefined; resolve(value: string): void; reject(error: Error): void }[] = [];
  const read = (): void =>
    reader.read((before) => new Promise((resolve, reject) => asked.push({ before, resolve, reject })));
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { told, asked, read, settled };
}

it('asks one at a time, and once more for all that was wanted meanwhile', async () => {
  const { asked, read, settled } = setUp();
  read();
  read();
  read();
  expect(asked).toHaveLength(1);
  asked[0]!.resolve('first');
  await settled();
  expect(asked.map(({ before }) => before)).toEqual([undefined, 'first']);
  asked[1]!.resolve('second');
  await settled();
  expect(asked).toHaveLength(2);
});

it('keeps the last good answer when the next one is refused', async () => {
  const { told, asked, read, settled } = setUp();
  read();
  asked[0]!.resolve('good');
  await settled();
  read();
  asked[1]!.reject(new Error('no'));
  await settled();
  expect(told.at(-1)).toMatchObject({ value: 'good', busy: false, refusal: new Error('no') });
  read();
  asked[2]!.resolve('better');
  await settled();
  expect(told.at(-1)).toMatchObject({ value: 'better', refusal: undefined });
});
