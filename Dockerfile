# docker build -t verifier . && docker run --rm -v "$PWD/.verifier:/work/.verifier" verifier check ucblvd
FROM python:3.12-slim
COPY . /opt/verifier
RUN pip install --no-cache-dir /opt/verifier && useradd --create-home verifier && mkdir /work && chown verifier /work
USER verifier
WORKDIR /work
ENTRYPOINT ["verifier"]
CMD ["--help"]
