/** The value of a JSON text; undefined when it is none, such as a row that was damaged on the disk: no value of JSON is undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
