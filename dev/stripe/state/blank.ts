/**
 * The fields that Stripe always answers and that the simulator gives no meaning, by object. The tests hold every answer
 * against Stripe's own description, so that a field that Stripe adds is missed there.
 */

/** Of the objects' shapes; what the events say that they have. */
export const apiVersion = "2026-08-26.dahlia";

const nulls = (names: string): Record<string, null> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, null] as const));

const test = { livemode: false };

/** Fields of an object with the name that Stripe's `object` has, or of a part of one. */
export const blank = {
  customer: {
    ...nulls(`address cash_balance currency customer_account default_source description discount email name phone
      shipping test_clock`),
    ...test,
    balance: 0,
    delinquent: false,
    invoice_settings: nulls("custom_fields default_payment_method footer rendering_options"),
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: "none",
  },
  session: {
    ...nulls(`adaptive_pricing after_expiration allow_promotion_codes billing_address_collection cancel_url
      client_reference_id client_secret collected_information consent consent_collection currency_conversion customer
      customer_account customer_creation customer_details customer_email integration_identifier invoice
      invoice_creation locale managed_payments optional_items origin_context payment_intent payment_link
      payment_method_configuration_details permissions recovered_from saved_payment_method_options setup_intent
      shipping_address_collection shipping_cost submit_type subscription wallet_options`),
    ...test,
    automatic_tax: { enabled: false, ...nulls("liability provider status") },
    custom_fields: [],
    custom_text: nulls("after_submit shipping_address submit terms_of_service_acceptance"),
    discounts: [],
    payment_method_collection: "if_required",
    payment_method_options: {},
    payment_method_types: ["card"],
    phone_number_collection: { enabled: false },
    shipping_options: [],
    ui_mode: "hosted_page",
  },
  intent: {
    ...nulls(`allowed_payment_method_types application application_fee_amount automatic_payment_methods canceled_at
      cancellation_reason customer customer_account description excluded_payment_method_types last_payment_error
      latest_charge managed_payments next_action on_behalf_of payment_method payment_method_configuration_details
      processing receipt_email review setup_future_usage shipping statement_descriptor statement_descriptor_suffix
      transfer_data transfer_group`),
    ...test,
    amount_capturable: 0,
    amount_received: 0,
    confirmation_method: "automatic",
    payment_method_options: {
      card: { ...nulls("installments mandate_options network"), request_three_d_secure: "automatic" },
    },
    payment_method_types: ["card"],
  },
  charge: {
    ...nulls(`application application_fee application_fee_amount balance_transaction customer description
      failure_balance_transaction failure_code failure_message fraud_details on_behalf_of payment_intent
      receipt_email receipt_number receipt_url review shipping source_transfer statement_descriptor
      statement_descriptor_suffix transfer_data transfer_group`),
    ...test,
    amount_captured: 0,
    amount_refunded: 0,
    billing_details: {
      ...nulls("email name phone tax_id"),
      address: nulls("city country line1 line2 postal_code state"),
    },
    calculated_statement_descriptor: "SIMULATOR",
    captured: false,
    disputed: false,
    refunded: false,
  },
  /** Of a charge: the one card that the simulator knows. */
  cardDetails: {
    ...nulls(`authorization_code installments mandate network_token network_transaction_id three_d_secure
      transaction_link_id wallet`),
    brand: "visa",
    checks: { ...nulls("address_line1_check address_postal_code_check"), cvc_check: "pass" },
    country: "US",
    exp_month: 12,
    exp_year: 2040,
    extended_authorization: { status: "disabled" },
    fingerprint: "simulatedcard",
    funding: "credit",
    incremental_authorization: { status: "unavailable" },
    last4: "4242",
    multicapture: { status: "unavailable" },
    network: "visa",
    regulated_status: "unregulated",
  },
  paymentMethod: {
    ...nulls("customer customer_account"),
    ...test,
    allow_redisplay: "unspecified",
    billing_details: {
      ...nulls("email name phone tax_id"),
      address: nulls("city country line1 line2 postal_code state"),
    },
    card: {
      ...nulls("generated_from wallet"),
      brand: "visa",
      checks: { ...nulls("address_line1_check address_postal_code_check"), cvc_check: "pass" },
      country: "US",
      display_brand: "visa",
      exp_month: 12,
      exp_year: 2040,
      fingerprint: "simulatedcard",
      funding: "credit",
      last4: "4242",
      networks: { available: ["visa"], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
    },
    metadata: {},
    type: "card",
  },
  outcome: {
    ...nulls("advice_code network_advice_code network_decline_code reason"),
    network_status: "approved_by_network",
    risk_level: "normal",
    risk_score: 12,
    seller_message: "Payment complete.",
    type: "authorized",
  },
  product: {
    ...nulls(`default_price description package_dimensions shippable statement_descriptor tax_code unit_label url`),
    ...test,
    active: true,
    images: [],
    marketing_features: [],
    metadata: {},
  },
  price: {
    ...nulls("custom_unit_amount lookup_key nickname tax_behavior tiers_mode transform_quantity"),
    ...test,
    active: true,
    billing_scheme: "per_unit",
    metadata: {},
  },
  refund: {
    ...nulls(`balance_transaction customer customer_account payment_intent payment_method reason receipt_number
      source_transfer_reversal transfer_reversal`),
    metadata: {},
    status: "succeeded",
  },
  dispute: {
    ...test,
    balance_transactions: [],
    enhanced_eligibility_types: [],
    evidence: {
      ...nulls(`access_activity_log billing_address cancellation_policy cancellation_policy_disclosure
        cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip
        customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id
        product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation service_date
        service_documentation shipping_address shipping_carrier shipping_date shipping_documentation
        shipping_tracking_number uncategorized_file uncategorized_text`),
      enhanced_evidence: {},
    },
    evidence_details: {
      due_by: null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    metadata: {},
    reason: "general",
  },
  subscription: {
    ...nulls(`application application_fee_percent billing_cycle_anchor_config billing_thresholds cancel_at canceled_at
      customer_account days_until_due default_payment_method default_source description ended_at latest_invoice
      managed_payments next_pending_invoice_item_invoice on_behalf_of pause_collection pending_invoice_item_interval
      pending_setup_intent pending_update schedule test_clock transfer_data trial_end trial_start`),
    ...test,
    automatic_tax: { enabled: false, ...nulls("disabled_reason liability") },
    billing_mode: { flexible: null, type: "classic" },
    billing_schedules: [],
    cancel_at_period_end: false,
    cancellation_details: nulls("comment feedback feedback_option reason"),
    collection_method: "charge_automatically",
    default_tax_rates: [],
    discounts: [],
    invoice_settings: { ...nulls("account_tax_ids custom_fields description footer"), issuer: { type: "self" } },
    payment_settings: {
      ...nulls("payment_method_options payment_method_types"),
      save_default_payment_method: "off",
    },
    trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } },
  },
  invoice: {
    ...nulls(`account_country account_tax_ids application automatically_finalizes_at confirmation_secret custom_fields
      customer_account customer_address customer_email customer_name customer_phone customer_shipping
      default_payment_method default_source description due_date footer from_invoice hosted_invoice_url invoice_pdf
      last_finalization_error latest_revision next_payment_attempt on_behalf_of receipt_number rendering shipping_cost
      shipping_details statement_descriptor test_clock webhooks_delivered_at`),
    ...test,
    account_name: "Simulator",
    amount_overpaid: 0,
    amount_paid_off_stripe: 0,
    amount_shipping: 0,
    automatic_tax: { enabled: false, ...nulls("disabled_reason liability provider status") },
    collection_method: "charge_automatically",
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_tax_rates: [],
    discounts: [],
    ending_balance: 0,
    issuer: { type: "self" },
    metadata: {},
    payment_settings: nulls("default_mandate payment_method_options payment_method_types"),
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    total_discount_amounts: [],
    total_pretax_credit_amounts: [],
    total_taxes: [],
  },
  invoiceLine: {
    ...nulls("quantity_decimal"),
    ...test,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    metadata: {},
    pretax_credit_amounts: [],
    taxes: [],
  },
  portalSession: {
    ...nulls("customer_account flow locale on_behalf_of return_url"),
    ...test,
    configuration: "bpc_simulator",
  },
} as const;
