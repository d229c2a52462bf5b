/** What this network uses of the SDK. The build makes a file of its own of it, so that a program that never asks for it never reads it. */
export { Client, EventDispatcher, WSClient } from '@larksuiteoapi/node-sdk';
