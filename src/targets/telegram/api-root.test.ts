import { describe, expect, it } from 'vitest';
import { parseApiRoot } from './api-root.js';

describe('the root of the Bot API', () => {
  it.each([
    ['https://api.telegram.org', 'https://api.telegram.org'],
    ['https://bots.example.org/api/', 'https://bots.example.org/api'],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
    ['http://localhost:8081/', 'http://localhost:8081'],
    ['http://[::1]:8081', 'http://[::1]:8081'],
  ])('takes %s', (given, root) => {
    expect(parseApiRoot(given)).toBe(root);
  });

  it.each([
    'http://api.telegram.org',
    'http://127.evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'https://user:secret@api.telegram.org',
    'https://api.telegram.org?x=1',
    'ftp://127.0.0.1',
    'api.telegram.org',
  ])('refuses %s, without repeating it', (given) => {
    expect(() => parseApiRoot(given)).toThrow(TypeError);
    expect(() => parseApiRoot(given)).not.toThrow(given);
  });
});
