import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import { settle } from '../../../test/support/manual-clock.js';
import { lineLost } from './errors.js';
import type { Line } from './line.js';
import { Outbox, type Connected } from './outbox.js';
import { wordsStanza } from './outbound.js';
import { Unproven } from './unproven.js';

/** A line whose server says when it has dealt with what came. */
class ScriptedLine {
  readonly jid = 'agent@example.org/im';
  readonly sent: string[] = [];
  prove: () => void = () => undefined;
  cut: () => void = () => undefined;

  async send(stanza: { attrs: Record<string, string | undefined> }): Promise<void> {
    this.sent.push(stanza.attrs['id'] ?? '');
  }

  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.prove = resolve;
      this.cut = () => reject(lineLost('connection_lost', 'gone', 'unknown'));
    });
  }
}

const say = (id: string) => wordsStanza({ to: 'ada@example.org', id, text: 'hello' });

describe('what goes through the outbox', () => {
  let outbox: Outbox;
  beforeEach(() => {
    const intake = { state: () => undefined, commit: async () => undefined };
    outbox = new Outbox(new Unproven(intake, 'xmpp/agent'));
  });

  function send(line: ScriptedLine, id: string): Promise<void> {
    return outbox.send(say(id), id, connectedBy(line));
  }

  it('is refused when it comes back before the proof, and only on the line on which it went out', async () => {
    const [line, other] = [new ScriptedLine(), new ScriptedLine()];
    const sent = send(line, 'a');
    await settle();
    expect(outbox.bounced(asLine(other), 'a', 'item-not-found')).toBe(false);
    expect(outbox.bounced(asLine(line), 'a', 'item-not-found')).toBe(true);
    line.prove();
    await expect(sent).rejects.toMatchObject({ code: 'message_refused' });
    expect(outbox.bounced(asLine(line), 'a', 'item-not-found')).toBe(false);
  });

  it('is not sent again on the same line, and on the next one only when an archive can tell', async () => {
    const [line, next] = [new ScriptedLine(), new ScriptedLine()];
    const first = send(line, 'a');
    await settle();
    const lost = expect(first).rejects.toMatchObject({ code: 'connection_lost', effect: 'unknown' });
    line.cut();
    await lost;
    const again = send(line, 'a');
    await settle();
    line.prove();
    await again;
    expect(line.sent).toEqual(['a']);

    const second = send(line, 'b');
    await settle();
    const lostToo = expect(second).rejects.toMatchObject({ effect: 'unknown' });
    line.cut();
    await lostToo;
    await expect(send(next, 'b')).rejects.toMatchObject({ code: 'send_unclear' });
    expect(next.sent).toEqual([]);
  });

  it('keeps no line that is gone, however many messages were never proven', async () => {
    const gone = await (async () => {
      const line = new ScriptedLine();
      const sent = send(line, 'a').catch(() => undefined);
      await settle();
      line.cut();
      await sent;
      return new WeakRef(line);
    })();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await settle();
    collect();
    expect(gone.deref()).toBeUndefined();
  });
});

function asLine(line: ScriptedLine): Line {
  return line as unknown as Line;
}

function connectedBy(line: ScriptedLine): Connected {
  return { line: asLine(line), archive: undefined, keepsEverything: false, resource: 'im' };
}
