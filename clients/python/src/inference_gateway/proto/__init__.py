"""The raw stubs, for what the clients do not cover.

``llm_pb2`` and ``inference_pb2`` hold the two contracts' messages, ``llm_pb2_grpc`` and
``inference_pb2_grpc`` their stubs; ``health_pb2`` and ``health_pb2_grpc`` are
``grpc.health.v1``; ``status_pb2`` and ``error_details_pb2`` are ``google.rpc``. ``duration_pb2``
and ``any_pb2`` are the types that fields of these messages take: the classes of
``google.protobuf`` look the same, and are others.

All of them live in a descriptor pool of their own. A program may at the same time use its own
``llm_pb2`` or ``inference_pb2``, whatever is in them, and ``googleapis-common-protos``.
"""
