import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { quietLog } from '../../../test/support/quiet-log.js';
import { UiConnection } from './ui-connection.js';

/** A browser that does not answer a close, and goes on sending. */
class StubbornBrowser extends EventEmitter {
  readyState: number = WebSocket.OPEN;
  readonly bufferedAmount = 0;
  readonly send = (): void => undefined;

  close(): void {
    this.readyState = WebSocket.CLOSING;
  }

  says(command: string): void {
    this.emit('message', Buffer.from(JSON.stringify({ id: 1, command })), false);
  }
}

it('a window whose session is over is not obeyed any more, though it has not closed yet', () => {
  const browser = new StubbornBrowser();
  const commands: string[] = [];
  const connection = new UiConnection({
    ws: browser as unknown as WebSocket,
    port: {
      answer: (command) => {
        commands.push(command);
        return Promise.resolve({ result: {} });
      },
      snapshot: () => ({}),
      onChange: () => () => undefined,
      chat: undefined,
      bundle: () => Promise.reject(new Error('no bundle here')),
    },
    clock: new ManualClock(),
    log: quietLog,
  });
  browser.says('pending');
  connection.close(1008, 'the session is over');
  browser.says('sign-out');
  expect(commands).toEqual(['pending']);
});
