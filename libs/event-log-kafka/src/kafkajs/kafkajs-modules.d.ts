/**
 * What this driver uses of kafkajs 2.2.4 below its public clients: connections, metadata and requests. Why it does so, and
 * why that is safe with a pinned version, is in docs/adr/0013.
 */
declare module 'kafkajs/src/cluster/index.js' {
  namespace Cluster {
    interface Request {
      readonly apiKey: number;
      readonly apiVersion: number;
      readonly apiName: string;
      encode(): Promise<unknown>;
    }
    interface Exchange<Decoded> {
      readonly request: Request;
      readonly response: { decode(payload: Buffer): Promise<Decoded>; parse(decoded: Decoded): Promise<Decoded> };
      readonly requestTimeout?: number;
    }
    interface TopicMetadata {
      readonly topicErrorCode: number;
      readonly topic: string;
      readonly isInternal: boolean;
      readonly partitionMetadata: readonly {
        readonly partitionErrorCode: number;
        readonly partitionId: number;
        readonly leader: number;
        readonly replicas: readonly number[];
      }[];
    }
    interface Metadata {
      readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
      readonly clusterId: string;
      readonly controllerId: number;
      readonly topicMetadata: readonly TopicMetadata[];
    }
    interface Producer {
      readonly transactionalId?: string;
      readonly producerId: string;
      readonly producerEpoch: number;
    }
    interface Message {
      readonly key: string | Buffer | null;
      readonly value: Buffer | null;
      readonly headers: Readonly<Record<string, string | readonly Buffer[]>>;
      readonly timestamp: string;
    }
    interface AclEntry {
      readonly resourceType: number;
      readonly resourceName: string;
      readonly resourcePatternType: number;
      readonly principal: string;
      readonly host: string;
      readonly operation: number;
      readonly permissionType: number;
    }
    interface Broker {
      readonly nodeId: number;
      readonly connectionPool: {
        readonly host: string;
        readonly port: number;
        /** One for fetches, one for everything else; without a socket until it is needed. */
        readonly pool: readonly { readonly socket?: { destroy(error: Error): unknown } }[];
        send<Decoded>(exchange: Exchange<Decoded>): Promise<Decoded>;
      };
      connect(): Promise<void>;
      apiVersions(): Promise<unknown>;
      metadata(topics?: readonly string[]): Promise<Metadata>;
      lookupRequest(
        apiKey: number,
        definition: unknown,
      ): (options: Readonly<Record<string, unknown>>) => Exchange<Metadata>;
      produce(
        options: Partial<Producer> & {
          readonly topicData: readonly {
            readonly topic: string;
            readonly partitions: readonly {
              readonly partition: number;
              readonly firstSequence: number;
              readonly messages: readonly Message[];
            }[];
          }[];
          readonly acks: number;
          readonly timeout: number;
          readonly compression: number;
        },
      ): Promise<{
        topics: { topicName: string; partitions: { partition: number; baseOffset: string }[] }[];
      }>;
      findGroupCoordinator(options: {
        groupId: string;
        coordinatorType: number;
      }): Promise<{ coordinator: { nodeId: number } }>;
      heartbeat(options: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
      joinGroup(options: {
        groupId: string;
        sessionTimeout: number;
        rebalanceTimeout: number;
        memberId: string;
        groupProtocols: readonly { name: string; metadata: Buffer }[];
      }): Promise<{
        generationId: number;
        leaderId: string;
        memberId: string;
        members: { memberId: string; memberMetadata: Buffer }[];
      }>;
      syncGroup(options: {
        groupId: string;
        generationId: number;
        memberId: string;
        groupAssignment: readonly { memberId: string; memberAssignment: Buffer }[];
      }): Promise<{ memberAssignment: Buffer }>;
      leaveGroup(options: { groupId: string; memberId: string }): Promise<unknown>;
      listOffsets(options: {
        replicaId: number;
        isolationLevel: number;
        topics: readonly {
          topic: string;
          partitions: readonly { partition: number; timestamp: number | string }[];
        }[];
      }): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
      createTopics(options: {
        topics: readonly {
          topic: string;
          numPartitions: number;
          replicationFactor: number;
          configEntries: readonly { name: string; value: string }[];
        }[];
        validateOnly?: boolean;
        timeout: number;
      }): Promise<unknown>;
      describeAcls(
        filter: { readonly [Key in keyof AclEntry]: AclEntry[Key] extends string ? string | null : AclEntry[Key] },
      ): Promise<{
        resources: (Pick<AclEntry, 'resourceType' | 'resourceName' | 'resourcePatternType'> & {
          acls: Pick<AclEntry, 'principal' | 'host' | 'operation' | 'permissionType'>[];
        })[];
      }>;
      createAcls(options: { acl: readonly AclEntry[] }): Promise<unknown>;
      deleteAcls(options: { filters: readonly AclEntry[] }): Promise<unknown>;
      describeConfigs(options: { resources: readonly { type: number; name: string }[] }): Promise<{
        resources: {
          resourceName: string;
          configEntries: { configName: string; configValue: string | null; configSource?: number }[];
        }[];
      }>;
      initProducerId(options: {
        transactionalId: string | undefined;
        transactionTimeout: number;
      }): Promise<{ producerId: string; producerEpoch: number }>;
      addPartitionsToTxn(
        options: Producer & { readonly topics: readonly { topic: string; partitions: readonly number[] }[] },
      ): Promise<unknown>;
      addOffsetsToTxn(options: Producer & { readonly groupId: string }): Promise<unknown>;
      txnOffsetCommit(
        options: Producer & {
          readonly groupId: string;
          readonly topics: readonly { topic: string; partitions: readonly { partition: number; offset: string }[] }[];
        },
      ): Promise<unknown>;
      endTxn(options: Producer & { readonly transactionResult: boolean }): Promise<unknown>;
    }
  }
  class Cluster {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly brokerPool: {
      metadata: Cluster.Metadata | null;
      createBroker: (options: unknown) => Cluster.Broker;
      /** Asks one broker after the other until one answers. Null when none does, for any reason. */
      withBroker<T>(ask: (known: { readonly broker: Cluster.Broker }) => Promise<T>): Promise<T | null>;
    };
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    isConnected(): boolean;
    refreshMetadata(): Promise<void>;
    findBroker(options: { nodeId: number | string }): Promise<Cluster.Broker>;
    findControllerBroker(): Promise<Cluster.Broker>;
  }
  export = Cluster;
}

declare module 'kafkajs/src/loggers/index.js' {
  import type { Logger, logCreator, logLevel } from 'kafkajs';

  const loggers: { createLogger(options: { level: logLevel; logCreator: logCreator }): Logger };
  export = loggers;
}

declare module 'kafkajs/src/errors.js' {
  const errors: {
    readonly KafkaJSConnectionError: new (message: string, options: { readonly broker: string }) => Error;
    readonly KafkaJSSASLAuthenticationError: new (message: string) => Error;
  };
  export = errors;
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  class RequestQueue {
    readonly pending: readonly unknown[];
    readonly maxInFlightRequests: number | null;
    readonly enforceRequestTimeout: boolean;
    readonly instrumentationEmitter: unknown;
    scheduleCheckPendingRequests(this: RequestQueue): void;
    push(request: { entry: object; expectResponse: boolean; sendRequest: () => void }): void;
    once(event: 'requestQueueEmpty', listener: () => void): this;
  }
  export = RequestQueue;
}

declare module 'kafkajs/src/network/connection.js' {
  import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

  class Connection {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly host: string;
    readonly port: number;
    readonly requestQueue: RequestQueue;
    readonly connectionStatus: 'connected' | 'disconnecting' | 'disconnected';
    /** Undefined before it was opened. */
    readonly socket?: { destroy(error: Error): unknown };
    readonly versions: unknown;
    connect(): Promise<unknown>;
    /** Closes the socket when all requests are answered. */
    disconnect(this: Connection): Promise<unknown>;
    rejectRequests(error: Error): void;
    setVersions(versions: unknown): void;
    getSupportAuthenticationProtocol(): boolean | null;
    setSupportAuthenticationProtocol(isSupported: boolean | null): void;
  }
  export = Connection;
}

declare module 'kafkajs/src/network/connectionPool.js' {
  import type Cluster from 'kafkajs/src/cluster/index.js';
  import type Connection from 'kafkajs/src/network/connection.js';

  class ConnectionPool {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly pool: Connection[];
    getConnection(this: ConnectionPool, index?: number): Promise<Connection>;
    send<Decoded>(exchange: Cluster.Exchange<Decoded>): Promise<Decoded>;
    destroy(): Promise<void>;
  }
  export = ConnectionPool;
}

declare module 'kafkajs/src/protocol/requests/index.js' {
  const definitions: { requests: { readonly Metadata: unknown } };
  export = definitions;
}

declare module 'kafkajs/src/protocol/requests/apiKeys.js' {
  const apiKeys: Readonly<Record<'Metadata', number>>;
  export = apiKeys;
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/request.js' {
  import type Cluster from 'kafkajs/src/cluster/index.js';

  const request: (options: {
    replicaId: number;
    isolationLevel: number;
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    topics: readonly {
      topic: string;
      partitions: readonly { partition: number; fetchOffset: string; maxBytes: number }[];
    }[];
  }) => Cluster.Request;
  export = request;
}

declare module 'kafkajs/src/protocol/encoder.js' {
  class Encoder {
    writeInt8(value: number): this;
    writeInt32(value: number): this;
    writeBoolean(value: boolean): this;
    writeBuffer(value: Buffer): this;
    writeUVarInt(value: number): this;
  }
  export = Encoder;
}

declare module 'kafkajs/src/protocol/error.js' {
  const errors: { createErrorFromCode(code: number): Error & { readonly type: string } };
  export = errors;
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram.js' {
  interface Digest {
    readonly length: number;
    readonly type: string;
    readonly minIterations: number;
  }
  interface Scram {
    readonly digestDefinition: Digest;
    authenticate(): Promise<void>;
    /** The broker's first message; `i` are its iterations. */
    sendClientFinalMessage(answer: { readonly i: string }): Promise<unknown>;
  }
  const scram: {
    readonly DIGESTS: { readonly SHA256: Digest; readonly SHA512: Digest };
    readonly SCRAM: new (
      sasl: { readonly username: string; readonly password: string },
      host: string,
      port: number,
      logger: unknown,
      saslAuthenticate: unknown,
      digest: Digest,
    ) => Scram;
  };
  export = scram;
}

declare module 'snappyjs' {
  const snappy: {
    compress(bytes: Buffer): Buffer;
    /** Decompresses one block. Throws for bytes that are not a block. */
    uncompress(block: Uint8Array): Uint8Array;
  };
  export = snappy;
}
