/**
 * A stand-in for a JiuwenSwarm AgentServer on loopback, for tests and the demo.
 *
 *   const server = await startAgentServer();
 *   server.onChat = (turn) => { turn.event('chat.final', { content: 'hello' }); turn.end(); };
 *   server.onChat = (turn) => turn.replay('chat_send_stream');      // frames captured from a real one
 *
 * It keeps to what a real one does and programs stumble over: `connection.ack` first, no reply at all to a method it does not
 * know, an interrupt that leaves the cancelled stream without an end, pushes to the newest connection with the id of a
 * running request, and all work cancelled when any connection closes.
 */
export { startAgentServer, type AgentServerSimulator, type SimulatorOptions } from './simulator.js';
export type { Turn } from './turn.js';
export { capturedFrames } from './transcript.js';
