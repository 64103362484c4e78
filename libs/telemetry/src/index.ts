export { currentTraceparent } from './traceparent.js';
