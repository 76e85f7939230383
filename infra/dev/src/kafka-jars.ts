/** Apache Kafka from its Maven artifacts: the broker and the console tools of one version, with what they need. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './host-tools.js';
import { cached } from './server-cache.js';

/** Versions that the project is tested with: the current one first, and the last that speaks every old protocol version. */
export const KAFKA_VERSIONS = ['4.2.0', '3.9.2'] as const;

/** The Maven project whose runtime dependencies are a Kafka distribution of this version. */
function kafkaProject(version: string): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.seamstream</groupId>
  <artifactId>kafka-distribution</artifactId>
  <version>${version}</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>
      <exclusions><exclusion><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${version}</version>
      <exclusions><exclusion><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId></exclusion></exclusions>
    </dependency>
    <!-- Kafka 3.9 and 4.x log through slf4j 1.7: one backend that needs no configuration file. -->
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`;
}

/** The folder with the jars of a Kafka version; fetched once, about 55 MB. */
export async function kafkaJars(version: string): Promise<string> {
  return cached(`kafka-${version}`, async (folder) => {
    const project = join(folder, 'pom.xml');
    await writeFile(project, kafkaProject(version));
    await mustRun(
      'mvn',
      [
        '-B',
        '-q',
        '-f',
        project,
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${folder}`,
      ],
      `Fetching Apache Kafka ${version}`,
      'Maven needs the network (or a mirror in ~/.m2/settings.xml) the first time; check both, and that this version exists.',
    );
  });
}
