# Every instance image, of every family: a pinned base and the project on top of it.
ARG BASE
FROM ${BASE}
ADD project.tar /benchmac/
WORKDIR /benchmac/project
