# pytest-benchmac for CI: judges in bubblewrap inside the container, or with the host's Docker engine.
#   docker build -t pytest-benchmac .
#   docker run --rm --privileged -v "$PWD:/work" -v benchmac:/var/cache/benchmac pytest-benchmac \
#     pytest --patch-dir=patches --sandbox=bubblewrap
# Without --privileged a container may make no namespaces; to use the host's engine instead, give
# -v /var/run/docker.sock:/var/run/docker.sock and --sandbox=docker.
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        bubblewrap ca-certificates git mmdebstrap npm python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python3 -m venv /opt/benchmac \
    && /opt/benchmac/bin/pip install --no-cache-dir "/src[report]" \
    && rm -rf /src
ENV PATH=/opt/benchmac/bin:$PATH BENCHMAC_CACHE=/var/cache/benchmac
VOLUME /var/cache/benchmac
WORKDIR /work
CMD ["benchmac", "doctor"]
