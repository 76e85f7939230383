"""Kafka clients that Seamstream did not write: confluent-kafka with its Avro (de)serializers, and fastavro.

publish: reads one record per line from stdin and writes it.
    {"way": "registry" | "single-object" | "raw", "topic", "key": str | null, "headers": {str: str},
     "schema": Avro schema, "event": {...}, "base64": bytes of a raw value}
consume: reads every record of the topics that is there, committed and decoded, and prints it as one line.
    {"topic", "partition", "offset", "key", "headers", "framing": "registry" | "single-object" | "none",
     "schema": full name, "event": {...}}, the last two null where the value cannot be decoded

Without --registry, records are single-object encoded and read with the schema files under --schemas: Avro's fingerprint
of each, made by fastavro, says which.
"""
import argparse
import base64
import datetime
import io
import json
import math
import pathlib
import struct
import sys

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient, topic_record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import MessageField, SerializationContext

SUBJECTS = {"subject.name.strategy": topic_record_subject_name_strategy}
QUIET_SECONDS = 60


def single_object_header(schema) -> bytes:
    canonical = fastavro.schema.to_parsing_canonical_form(schema)
    # fastavro gives the digits in the order of the wire, little-endian.
    return b"\xc3\x01" + bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))


def publish(brokers: str, registry: SchemaRegistryClient | None) -> None:
    # murmur2 is how the Java client and Seamstream find a key's partition.
    producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True, "partitioner": "murmur2_random"})
    failures = []

    def delivered(error, _message):
        if error is not None:
            failures.append(str(error))

    for line in sys.stdin:
        record = json.loads(line)
        if record["way"] == "registry":
            serializer = AvroSerializer(registry, json.dumps(record["schema"]), conf=SUBJECTS)
            value = serializer(record["event"], SerializationContext(record["topic"], MessageField.VALUE))
        elif record["way"] == "single-object":
            body = io.BytesIO()
            fastavro.schemaless_writer(body, fastavro.parse_schema(record["schema"]), record["event"])
            value = single_object_header(record["schema"]) + body.getvalue()
        else:
            value = base64.b64decode(record["base64"])
        producer.produce(
            record["topic"], value, key=record["key"], headers=record["headers"], on_delivery=delivered
        )
    left = producer.flush(QUIET_SECONDS)
    if failures or left:
        sys.exit(f"{left} records were not delivered, {len(failures)} failed: {failures[:3]}")


def plain(value):
    """The value as JSON can say it: times in milliseconds, bytes in base64, numbers that are not finite by their names."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime.datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    return value


def consume(brokers: str, registry: SchemaRegistryClient | None, schemas: pathlib.Path, topics: list[str]) -> None:
    by_header = {}
    for file in schemas.glob("*/*.avsc"):
        schema = json.loads(file.read_text())
        by_header[single_object_header(schema)] = fastavro.parse_schema(schema)
    decode = AvroDeserializer(registry, conf=SUBJECTS) if registry else None
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "foreign-reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    places = [
        TopicPartition(topic, partition, OFFSET_BEGINNING)
        for topic in topics
        for partition in consumer.list_topics(topic, QUIET_SECONDS).topics[topic].partitions
    ]
    consumer.assign(places)
    unread = {(place.topic, place.partition) for place in places}
    while unread:
        message = consumer.poll(QUIET_SECONDS)
        if message is None:
            sys.exit(f"nothing came within {QUIET_SECONDS} s; unread are {sorted(unread)}")
        if message.error() is not None:
            if message.error().code() != KafkaError._PARTITION_EOF:
                sys.exit(str(message.error()))
            unread.discard((message.topic(), message.partition()))
            continue
        value = message.value()
        framing, name, event = "none", None, None
        if value is not None and value[:2] == b"\xc3\x01" and value[:10] in by_header:
            schema = by_header[value[:10]]
            framing, name = "single-object", schema["name"]
            event = plain(fastavro.schemaless_reader(io.BytesIO(value[10:]), schema))
        elif value is not None and value[:1] == b"\x00" and decode is not None:
            try:
                schema = json.loads(registry.get_schema(struct.unpack(">I", value[1:5])[0]).schema_str)
            except SchemaRegistryError as error:
                if error.http_status_code != 404:
                    raise
            else:
                framing, name = "registry", f'{schema["namespace"]}.{schema["name"]}'
                event = plain(decode(value, SerializationContext(message.topic(), MessageField.VALUE)))
        print(
            json.dumps(
                {
                    "topic": message.topic(),
                    "partition": message.partition(),
                    "offset": message.offset(),
                    "key": None if message.key() is None else message.key().decode(),
                    "headers": {key: text.decode() for key, text in message.headers() or []},
                    "framing": framing,
                    "schema": name,
                    "event": event,
                }
            )
        )
    consumer.close()


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("command", choices=["publish", "consume"])
    arguments.add_argument("--brokers", required=True)
    arguments.add_argument("--registry")
    arguments.add_argument("--schemas", type=pathlib.Path)
    arguments.add_argument("topics", nargs="*")
    given = arguments.parse_args()
    registry = SchemaRegistryClient({"url": given.registry}) if given.registry else None
    if given.command == "publish":
        publish(given.brokers, registry)
    else:
        consume(given.brokers, registry, given.schemas, given.topics)


if __name__ == "__main__":
    main()
