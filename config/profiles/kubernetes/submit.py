#!/usr/bin/env python3
"""Hand a job script of Snakemake to Kubernetes as a Job and print the Job's name."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

PASSED = ("XDG_CACHE_HOME", "TETHERMAP_COMPONENTS")
"""Variables for the steps: locations of caches and of the component index."""


def main() -> None:
    """Create the Job; image, volume and its place come from the environment."""
    script = Path(sys.argv[1]).resolve()
    head = next(line for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("# properties = "))
    properties = json.loads(head.removeprefix("# properties = "))
    resources = properties["resources"]
    memory = f"{resources['mem_mb']}Mi"
    container = {
        "name": "step",
        "image": os.environ["TETHERMAP_KUBE_IMAGE"],
        "command": ["sh", str(script)],
        "workingDir": str(Path.cwd()),
        "env": [{"name": name, "value": os.environ[name]} for name in PASSED if name in os.environ],
        "resources": {
            "requests": {"cpu": properties.get("threads", 1), "memory": memory},
            "limits": {"memory": memory},
        },
        "volumeMounts": [{"name": "jobs", "mountPath": os.environ["TETHERMAP_KUBE_MOUNT"]}],
    }
    claim = {"claimName": os.environ["TETHERMAP_KUBE_CLAIM"]}
    rule = properties["rule"].replace("_", "-")
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"tethermap-{rule}-{secrets.token_hex(6)}", "labels": {"app": "tethermap"}},
        "spec": {
            "backoffLimit": 0,  # Snakemake itself tries again
            "activeDeadlineSeconds": 60 * resources["runtime"],
            "ttlSecondsAfterFinished": 86_400,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container],
                    "volumes": [{"name": "jobs", "persistentVolumeClaim": claim}],
                }
            },
        },
    }
    command = ["kubectl", "create", "-f", "-", "-o", "jsonpath={.metadata.name}"]
    subprocess.run(command, input=json.dumps(job), text=True, check=True)


if __name__ == "__main__":
    main()
