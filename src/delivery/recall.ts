import type { StoredFile } from '../files/file-store.js';
import { contentHashOf, type RememberedFile } from './ledger.js';

/** What has to be kept of a message's files to know the message again after they are gone. */
export function rememberFiles(files: readonly StoredFile[]): RememberedFile[] {
  return files.map(({ fileRef, fileType, sha256 }) => ({ fileRef, fileType, sha256 }));
}

/**
 * The content hash of a message that names its files by their refs only. Undefined when it names a file that is not
 * remembered: then nobody can tell without the file itself whether the content is the same.
 */
export function contentHashByRefs(
  request: { readonly text: string; readonly fileRefs: readonly string[] },
  remembered: readonly RememberedFile[],
): string | undefined {
  const known = new Map(remembered.map((file) => [file.fileRef, file]));
  const files = request.fileRefs.flatMap((ref) => known.get(ref) ?? []);
  return files.length < request.fileRefs.length ? undefined : contentHashOf({ text: request.text, files });
}
