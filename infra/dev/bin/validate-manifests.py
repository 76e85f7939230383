"""Checks rendered manifests against the schemas of Kubernetes and of each CRD, strictly: a field or a kind that no schema knows is a fault.

python3 validate-manifests.py CRD_FOLDER FILE.yaml … prints a JSON object: by file, its documents and its faults.
"""
import json
import pathlib
import sys

import jsonschema
import kubernetes_validate
import yaml

KUBERNETES = "1.37"


def closed(schema):
    """The schema of a CRD as a JSON schema that refuses fields it does not name, as the API server's field validation does."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    result = {key: closed(value) for key, value in schema.items() if key != "format"}
    keeps_unknown = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" and not keeps_unknown:
        result["additionalProperties"] = False
    if schema.get("nullable") and isinstance(schema.get("type"), str):
        result["type"] = [schema["type"], "null"]
    return result


def crd_schemas(folder):
    """By API version and kind."""
    schemas = {}
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        for crd in yaml.safe_load_all(path.read_text()):
            spec = crd["spec"]
            for version in spec["versions"]:
                schema = closed(version["schema"]["openAPIV3Schema"])
                # Metadata is the API server's own, and CRDs leave it open.
                schema["properties"]["metadata"] = {"type": "object"}
                schemas[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    return schemas


def faults_of(document, crds):
    kind = (document.get("apiVersion"), document.get("kind"))
    place = f"{kind[1]} {document.get('metadata', {}).get('name')}"
    if kind in crds:
        validator = jsonschema.Draft7Validator(crds[kind])
        return [f"{place}: {'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]
    try:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{place}: {'/'.join(map(str, error.path))}: {error.message}"]
    except kubernetes_validate.SchemaNotFoundError:
        return [f"{place}: no schema knows {kind[0]} {kind[1]}"]
    return []


def main():
    folder, *files = sys.argv[1:]
    crds = crd_schemas(folder)
    result = {}
    for file in files:
        documents = [each for each in yaml.safe_load_all(pathlib.Path(file).read_text()) if each]
        result[file] = {"documents": documents, "faults": [fault for each in documents for fault in faults_of(each, crds)]}
    json.dump(result, sys.stdout)


main()
