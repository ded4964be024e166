# docker build -t verifier . && docker run --rm -v "$PWD/.verifier:/campaign/.verifier" verifier check ucblvd
FROM python:3.12-slim
COPY . /opt/verifier
RUN pip install --no-cache-dir /opt/verifier && useradd --create-home verifier && mkdir /campaign && chown verifier /campaign
USER verifier
WORKDIR /campaign
ENTRYPOINT ["verifier"]
CMD ["--help"]
