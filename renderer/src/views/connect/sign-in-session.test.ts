import { expect, it } from 'vitest';
import { type BridgeClient, CommandRefused } from '../../bridge/client.js';
import { SignInSession } from './sign-in-session.js';

/** A host that has one sign-in running and answers a wish for a new code when the test says so. */
function slowHost(): { bridge: BridgeClient; commands: string[]; refuse: () => void } {
  const commands: string[] = [];
  let refuse = (): void => undefined;
  const call = (command: string): Promise<unknown> => {
    commands.push(command);
    if (command !== 'sign-in-refresh') return Promise.resolve({ status: 'pending', authSessionId: 's1' });
    return new Promise((_, reject) => {
      refuse = () => reject(new CommandRefused('session_ended', 'the sign-in ended'));
    });
  };
  return { bridge: { call } as unknown as BridgeClient, commands, refuse: () => refuse() };
}

it('a new code that can not be had begins the sign-in anew, but not for a person who left', async () => {
  for (const hasLeft of [false, true]) {
    const { bridge, commands, refuse } = slowHost();
    const session = new SignInSession(bridge, 'wechat');
    await session.begin();
    const renewed = session.renew();
    if (hasLeft) session.cancel();
    refuse();
    await renewed;
    expect(session.state().phase).toBe(hasLeft ? 'none' : 'running');
    expect(commands.filter((command) => command === 'sign-in')).toHaveLength(hasLeft ? 1 : 2);
  }
});
