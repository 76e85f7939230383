/** What a run makes: weights, or anything else that a slot is served with. */

export interface Artefact {
  /** `lora` or `full`: weights; `library`: texts; what a new method names its own. */
  readonly kind: string;
  /** SHA-256 of the content. */
  readonly digest: string;
  /** The model that it is for. */
  readonly baseModelDigest: string;
}

/** Where an artefact lies in the object store. */
export interface StoredArtefact {
  readonly key: string;
  readonly sizeBytes: number;
}
