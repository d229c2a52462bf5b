// Throughput: frames made beforehand, a window of them under way, answers only counted.

/**
 * Sends all frames with at most `window` unanswered; one write for as many as were answered together.
 * @returns frames answered per second
 */
export function throughput(socket, frames, window) {
  return new Promise((resolve) => {
    let sent = Math.min(window, frames.length);
    let answered = 0;
    let owed = 0;
    let scheduled = false;
    const refill = () => {
      scheduled = false;
      const batch = frames.slice(sent, sent + owed);
      sent += batch.length;
      owed = 0;
      if (batch.length > 0) socket.write(Buffer.concat(batch));
    };
    socket.onText = () => {
      answered += 1;
      owed += 1;
      if (answered === frames.length) {
        resolve((frames.length * 1000) / (performance.now() - began));
      } else if (!scheduled) {
        scheduled = true;
        process.nextTick(refill);
      }
    };
    const began = performance.now();
    socket.write(Buffer.concat(frames.slice(0, sent)));
  });
}

/** One after the other. @returns how long each took to be answered, ms */
export async function latencies(socket, frames) {
  const taken = [];
  for (const frame of frames) {
    const began = performance.now();
    await new Promise((resolve) => {
      socket.onText = resolve;
      socket.write(frame);
    });
    taken.push(performance.now() - began);
  }
  return taken;
}
