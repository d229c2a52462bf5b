/** Where the window in a browser lies; its page is at this path and a slash. */
export const UI_PREFIX = '/ui';
