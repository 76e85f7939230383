// For `node --import`, or imported: connections to some local ports go to others instead, `DETOURS=9092=1234,9000=1235`. So a
// proxy can stand before a server whose address others hand on, as Kafka's brokers do.
import { Socket } from 'node:net';

const { connect } = Socket.prototype;
Socket.prototype.connect = function connectByDetour(...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const detour = (process.env.DETOURS ?? '').split(',').find((each) => each.startsWith(`${options?.port}=`));
  if (detour !== undefined && options.isDirect !== true) options.port = Number(detour.slice(detour.indexOf('=') + 1));
  return connect.apply(this, args);
};
