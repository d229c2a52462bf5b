// Messages that wait while the agent is away, and their way out when it is back.
import { Agent, ackFrame } from './agent.mjs';

/** Writes messages of a person, several under way at once; resolves when all are on the disk. */
export async function sayAll(control, accountId, texts, window = 50) {
  const left = [...texts];
  // The order in which they are written is the order in which they must come out.
  while (left.length > 0) await Promise.all(left.splice(0, window).map((text) => control.say(accountId, text)));
}

/**
 * The agent comes back, takes and acknowledges everything.
 * @param expected the texts, in order
 * @returns ms from the first byte of the new connection to the last message
 * @throws when one is missing, doubled or out of its order
 */
export async function comeBack(host, { channel, connectorId }, expected) {
  const began = performance.now();
  const agent = await Agent.connect(host.url, 'local', { connectorId });
  const seen = [];
  const all = new Promise((resolve, reject) => {
    agent.onPacket = (packet) => {
      if (packet.type !== 'chat.message') return;
      const { text } = packet.payload;
      if (text !== expected[seen.length]) reject(new Error(`message ${seen.length} came as "${text}"`));
      seen.push(text);
      agent.socket.write(ackFrame(packet));
      if (seen.length === expected.length) resolve(performance.now() - began);
    };
  });
  await agent.open(channel);
  const taken = await all;
  return { taken, agent };
}

/** A bound local chat whose agent can go and come. */
export async function localChat(host, name) {
  const agent = await Agent.connect(host.url, 'local');
  const channel = await agent.bindLocal(name);
  const accountId = (await Agent.accountsOf(host.url, 'local')).get(channel);
  return { agent, channel, accountId, connectorId: agent.connectorId };
}
