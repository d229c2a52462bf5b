/** The address that a text is; undefined when it is none. `URL.canParse` is younger than the oldest runtime of the window. */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
