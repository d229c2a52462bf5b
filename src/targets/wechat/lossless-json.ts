/** Keys whose bare numbers are uint64 and would lose digits as doubles. */
const WIDE_IDS = /(?<!\\)"(message_id|msg_id|svr_id|seq)"(\s*:\s*)(-?\d+)(?=\s*[,}\]])/g;

/**
 * Parses an iLink answer, keeping uint64 ids as text whether the server quoted them or not.
 * Inside a JSON string the quote before a key is escaped, so words of a person that look like a key are not touched.
 * @throws SyntaxError when it is not JSON
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text.replace(WIDE_IDS, '"$1"$2"$3"')) as unknown;
}
