import { expect, it } from 'vitest';
import { readPort } from './port-text.js';

it.each([
  ['19080', { port: 19_080 }],
  [' 1024 ', { port: 1024 }],
  ['65535', { port: 65_535 }],
  ['', { problem: 'empty' }],
  ['80a', { problem: 'not_a_number' }],
  ['-1', { problem: 'not_a_number' }],
  ['0', { problem: 'range' }],
  ['65536', { problem: 'range' }],
  ['443', { problem: 'reserved' }],
])('reads %j as %j', (text, reading) => {
  expect(readPort(text)).toEqual(reading);
});
