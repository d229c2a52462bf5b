import { expect, it } from 'vitest';
import { cleanHostName, hostNameProblem } from './host-name.js';

it.each(['host.docker.internal', 'laptop', 'laptop:8080', '192.168.1.20', '[fd00::1]', '[fd00::1]:19080', 'a_b.local'])(
  'takes %s',
  (name) => {
    expect(hostNameProblem(name, [])).toBeUndefined();
  },
);

it.each([
  ['', 'empty'],
  ['http://laptop', 'scheme'],
  ['laptop/wechat', 'path'],
  ['my laptop', 'space'],
  ['*.example.org', 'wildcard'],
  ['laptop:', 'port'],
  ['laptop:70000', 'port'],
  ['laptop.', 'characters'],
  ['łaptop', 'characters'],
  ['fd00::1', 'characters'],
  ['a'.repeat(254), 'too_long'],
  ['localhost', 'known'],
  ['there.already', 'known'],
])('refuses %j as %s', (name, problem) => {
  expect(hostNameProblem(name, ['there.already'])).toBe(problem);
});

it('compares as the Host header is compared', () => {
  expect(cleanHostName('  Host.Docker.Internal ')).toBe('host.docker.internal');
});
