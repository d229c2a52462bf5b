import './desktop/old-runtime.js';

export { startDesktop } from './desktop/start.js';
