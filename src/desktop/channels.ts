/** Names under which the preload script and the main process speak; nothing else is listened to. */
export const CHANNELS = {
  call: 'xagent:call',
  shell: 'xagent:shell',
  state: 'xagent:state',
  /** Pushed by the main process with every new state. */
  stateChanged: 'xagent:state-changed',
} as const;
