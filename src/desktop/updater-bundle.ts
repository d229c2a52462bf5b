/** electron-updater is larger than the shell itself, and most builds have no feed: a bundle of its own, read when it is first used. */
export { autoUpdater } from 'electron-updater';
