/**
 * Files of the local chat travel over HTTP beside the commands, relative to the window's page: `POST files?account=…&name=…`
 * with the bytes as body answers `{"token": "…"}` for `local-send`; `GET files/<fileRef>?account=…` gives one of the chat's
 * files. The diagnostics bundle is `GET bundle`.
 */
export const FILES_PATH = 'files';
export const BUNDLE_PATH = 'bundle';

/** A parameter of these addresses beyond this is no name and no id; characters. */
export const MAX_PARAMETER_LENGTH = 1024;
