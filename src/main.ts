import './desktop/old-runtime.js';
import { startDesktop } from './desktop/start.js';

startDesktop();
