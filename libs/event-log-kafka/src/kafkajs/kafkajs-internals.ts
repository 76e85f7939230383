/**
 * The only file that imports kafkajs below its public interface. kafkajs-modules.d.ts declares what is used of it; docs/adr/0013
 * says why that is safe with a pinned version.
 */
import scram from 'kafkajs/src/broker/saslAuthenticator/scram.js';
import Cluster from 'kafkajs/src/cluster/index.js';
import clientErrors from 'kafkajs/src/errors.js';
import loggers from 'kafkajs/src/loggers/index.js';
import Connection from 'kafkajs/src/network/connection.js';
import ConnectionPool from 'kafkajs/src/network/connectionPool.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import brokerErrors from 'kafkajs/src/protocol/error.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import fetchRequest from 'kafkajs/src/protocol/requests/fetch/v11/request.js';
import definitions from 'kafkajs/src/protocol/requests/index.js';

export {
  apiKeys,
  brokerErrors,
  Cluster,
  Connection,
  ConnectionPool,
  clientErrors,
  definitions,
  Encoder,
  fetchRequest,
  loggers,
  RequestQueue,
  scram,
};
