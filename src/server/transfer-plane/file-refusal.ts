import type { FileStoreError } from '../../files/file-store.js';
import { HttpRefusal } from '../http/refusal.js';

/** Why a file was not taken, as an answer. */
export function fileRefusal(error: FileStoreError): HttpRefusal {
  switch (error.code) {
    case 'too_large':
      return fileTooLarge();
    case 'empty':
      return new HttpRefusal({ status: 400, code: 'file_empty', message: 'the file is empty' });
    case 'quota':
      return new HttpRefusal({ status: 507, code: 'quota_exceeded', message: 'there is no room for more files' });
    case 'aborted':
      return new HttpRefusal({ status: 400, code: 'upload_incomplete', message: 'the upload was not complete' });
  }
}

export function fileTooLarge(): HttpRefusal {
  return new HttpRefusal({
    status: 413,
    code: 'file_too_large',
    message: 'the file is larger than this server takes',
  });
}
