/** States of an A2A 1.0 task. */
export const A2A_V1_TASK_STATES = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;
export type A2aV1TaskState = (typeof A2A_V1_TASK_STATES)[number];

/** The state's name in A2A 1.0, from that or from the older spelling (`working`, `input-required`). */
export function taskStateV1(name: unknown): A2aV1TaskState {
  const wanted =
    typeof name === 'string'
      ? name
          .toUpperCase()
          .replaceAll('-', '_')
          .replace(/CANCELLED$/, 'CANCELED')
      : '';
  return (
    A2A_V1_TASK_STATES.find((state) => state === wanted || state === `TASK_STATE_${wanted}`) ?? 'TASK_STATE_UNSPECIFIED'
  );
}

/** How a state ends the turn: with an answer, with a question back, with a failure, or not at all. */
export function outcomeOf(state: A2aV1TaskState): 'answered' | 'asks' | 'failed' | 'runs' {
  switch (state) {
    case 'TASK_STATE_COMPLETED':
      return 'answered';
    case 'TASK_STATE_INPUT_REQUIRED':
      return 'asks';
    case 'TASK_STATE_FAILED':
    case 'TASK_STATE_CANCELED':
    case 'TASK_STATE_REJECTED':
    case 'TASK_STATE_AUTH_REQUIRED':
      return 'failed';
    case 'TASK_STATE_UNSPECIFIED':
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
      return 'runs';
  }
}
