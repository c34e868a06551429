"""What clients, companies and virus scanners of many languages put below an answer. Lower case."""

from __future__ import annotations

from .phrases import phrases

SENT_WITH = phrases(
    """
    sent from | sent with | sent via | sent using | get outlook | download outlook | gesendet von | gesendet mit |
    gesendet mit der | gesendet aus | gesendet | von meinem | von unterwegs | diese nachricht wurde von |
    holen sie sich outlook | outlook für | hol dir outlook | envoyé de | envoyé depuis | envoyé à partir |
    envoyé avec | envoyé via | obtenez outlook | télécharger outlook | téléchargez outlook | enviado desde |
    enviado con | enviado via | enviado vía | obtener outlook | descargar outlook | enviado do | enviado de |
    enviado a partir | enviado pelo | enviado com | obter o outlook | obtenha o outlook | baixar o outlook |
    inviato da | inviato dal | inviato con | inviata da | scarica outlook | ottieni outlook | verzonden vanaf |
    verstuurd vanaf | verzonden met | verzonden via | verstuurd met | outlook voor | download outlook voor |
    skickat från | skickades från | hämta outlook | sendt fra | sendt via | sendt med | hent outlook | få outlook |
    skaff deg outlook | last ned outlook | lähetetty | hanki outlook | hae outlook | wysłane z | wysłano z |
    wysłane za pomocą | pobierz outlook | odesláno z | odesláno pomocí | odesláno ze | získejte outlook |
    stáhnout outlook | stáhněte si outlook | gönderildi | gönderilmiştir | outlook'u edinin |
    outlook uygulamasını edinin | получить outlook | отправлено с | отправлено из | отправлено от |
    получите outlook | скачать outlook | загрузить outlook | надіслано з | надіслано із | отримайте outlook |
    отримати outlook | εστάλη από | στάλθηκε από | αποστολή από | λήψη του outlook | αποκτήστε το outlook |
    küldve | elküldve | küldték | az outlook beszerzése | outlook beszerzése | töltse le az outlook |
    trimis de pe | trimis din | trimis de la | trimis cu | obțineți outlook | descărcați outlook | から送信 |
    を入手 | から送信されました | 에서 보냄 | 에서 보냈습니다 | 에서 발송 | 다운로드 | 받기 | 发自 | 发送自 |
    從我的 | 傳送 | 傳送自 | 下载 | 下載 | 获取 | 取得 | 來自我的 | 来自我的 | נשלח מ | נשלחה מ | נשלח מה |
    קבל את outlook | הורד את outlook | أُرسلت من | أرسلت من | مرسل من | تم الإرسال من | الحصول على outlook |
    enviat des de | odoslané z | poslano z | poslano sa | poslano s | poslano iz | poslano mojim |
    preuzmite outlook | pridobite outlook | gửi từ | đã gửi từ | được gửi từ | tải outlook | tải xuống outlook |
    dikirim dari | dikirim dengan | terkirim dari | dapatkan outlook | unduh outlook | dihantar dari | ส่งจาก |
    ดาวน์โหลด | रखें | से भेजा गया | से भेजा | प्राप्त करें | ارسال شده از | ارسال از | فرستاده شده از |
    دریافت outlook | أرسل من | ارسلت من | изпратено от | послато са | odoslané zo | išsiųsta iš | nosūtīts no |
    saadetud | saadetud minu | küldve innen | e-postadan gönderildi | تم إرساله من | נשלח באמצעות |
    yahoo mail ile gönderildi | 傳送自我的 | 从我的 | 보냈음 | 보낸 메일 |
    sent on | typed on | written on | geschrieben auf | geschrieben mit | unterwegs gesendet | enviado por |
    enviada desde | enviada do | enviada pelo | inviato tramite | inviata dal | verstuurd via | 发送于
    """
)

DEVICES = phrases(
    """
    iphone | iphone'umdan | iphone-ról | iphone-omról | iphonesta | iphonista | iphone:lla | ipad | ipod | ios |
    android | androidista | galaxy | samsung | blackberry | outlook | windows | yahoo | gmail | gmx | web.de |
    proton | protonmail | proton mail | huawei | xiaomi | redmi | oneplus | pixel | nokia | sony | lg | htc |
    motorola | mail | thunderbird | k-9 mail | fairemail | spark | zimbra | fastmail | aol | naver | qq邮箱 |
    qq mail | 163 | 网易邮箱大师 | 网易邮箱 | 新浪邮箱 | mobile | mobile device | phone | cell phone | smartphone |
    handy | mobiltelefon | mobilgerät | telefon | téléphone | téléphone portable | mobile orange | portable |
    móvil | teléfono | celular | telemóvel | telefone | telefono | cellulare | dispositivo mobile | mobiel |
    telefoon | mobil | mobiltelefonen | puhelimesta | kännykästä | telefonu | mobilu | mobilního telefonu |
    telefonumdan | телефона | мобильного | мобільного | почты | пошти | mail.ru | яндекс | яндекс.почты |
    mail для | κινητό | κινητό μου | telefonomról | mobilomról | telefonul | telefonul meu | 手机 | 手機 |
    スマートフォン | 携帯 | 휴대폰 | 아이폰 | הטלפון | הנייד | האייפון | هاتفي | جهاز | tablet | surface | mac |
    macbook | watch | superhuman | missive | canary | mimestream | shortwave | hiver | roundcube | yandex | zoho |
    zoho mail | posteo | mailfence | runbox | infomaniak | bluemail | blue mail | mymail | typeapp | nine |
    aqua mail | vivaldi | posta | correo | courrier | poczty | poczta | pošta | pošty | почта | e-post | correio |
    sähköpostista | iphonu | ipadu | iphone-ul | iphoneból | iphone-umról | iphone'ie | iphone-a | iphone'a |
    iphonea | iphona | iphoneu | ipada | ponsel | ponsel cerdas | điện thoại | โทรศัพท์ | फ़ोन | गोपनीय | گوشی |
    تلفن همراه | گلکسی | آیفون | الآيفون | телефону | смартфона | смартфон | nordvpn | mailbird | em client | hey |
    tutanota | tuta | airmail | newton | edison | boxer | teams |
    fairphone | xperia | xperia™ | honor | oppo | vivo | realme | asus | zenfone | moto | wiko | tecno |
    infinix | nothing phone | libero | libero mail | virgilio | virgilio mail | alice mail | sfr | sfr mail
    | la poste | laposte | t-online | freenet | seznam | wp | onet | interia | o2 | rambler | ukr.net | abv
    | bol | uol | terra | 小米 | 小米手机 | 华为 | 华为手机 | 荣耀 | 荣耀手机 | 苹果手机 | 三星手机 | unterwegs | the go |
    the move | the road | mobile phone | desktop
    """
)

FILLERS = phrases(
    """
    email | e | mail | my | l | d | el | los | mog | moga | mojega | mojeg | svog | uređaja | telefona | naprave |
    发送 | 發送 | the | a | an | for | on | app | secure | encrypted | mobile | device | smart | new | free | ios |
    android | de | mi | mon | ma | du | un | une | do | meu | minha | da | dal | dalla | mio | mia | il | lo | la |
    le | mijn | min | mitt | mit | meinem | meiner | mein | von | aus | dem | der | die | für | och | för | til |
    till | fra | från | et | en | sicherer | sichere | beziehen | herunterladen | holen | unterwegs | downloaden |
    ophalen | pour | sur | para | per | op | na | voor | laitteelle | iphonesta | sähköposti | puhelimeltani |
    puhelimesta | z | ze | mojego | moje | systemu | dla | pro | mého | můj | mém | urządzenia | с | со | из |
    моего | мой | для | системы | устройства | пристрою | мого | з | із | μου | το | από | για | του | τη |
    συσκευή | rendszerhez | alkalmazás | készülékről | în | pe | din | pentru | cu | için | cihazımdan | benim |
    uygulaması | 版 | 用 | を | の | 나의 | 내 | 의 | 용 | 我的 | 的 | 上 | שלי | ה | עבור | ל | عبر | الخاص | بي |
    جهاز | هاتفي | لنظام | ال | الـ | من | most | wireless | handheld | network | verizon | at&t | t-mobile | 4g |
    5g | lte | max | plus | ultra | mini | desktop | web | messagerie | sécurisée | sécurisé | correo |
    electrónico | seguro | l'email | sicura | sicuro | veilige | beveiligde | bezpieczna | bezpiecznej |
    bezpečným | säker | sikker | suojattu | ul | az | készülékemről | készülékem | của | tôi | dành | cho | thiết |
    bị | saya | untuk | cerdas | perangkat | dari | ของฉัน | ของผม | สำหรับ | के | लिए | मेरे | से | को | ارسال |
    برای | mojej | moja | môjho | zařízení | zariadenia | dispositivo | appareil | apparaat | enhet | enhed |
    laitteesta | cihazından | 裝置 | 设备 | 기기 | móvil | telefónu |
    o | a | os | as | smartphone | телефон | mina | moim | komórki | komórka | w | drodze | telefonie
    """
)
"""What may stand in a client's line beside what it says and what it speaks of."""

EXCUSES = phrases(
    """
    please | excuse | any | brevity | typos | typo | errors | mistakes | spelling | and | the | my | for | bitte |
    entschuldigen | sie | tippfehler | kürze | die | veuillez | excuser | les | fautes | brièveté | la | de |
    disculpe | disculpen | erratas | brevedad | scusate | brevità | errori |
    sorry | apologies | apologize | apologise | autocorrect | shortness | entschuldige | entschuldigung |
    etwaige | eventuelle | rechtschreibfehler | schreibfehler | autokorrektur | kurze | knappe | für | der |
    excusez | excuse | d | éventuelles | frappe | concision | disculpa | los | las | errores | por | scusa |
    scusi | gli | di | battitura | excuus | excuseer | voor | typefouten | typfouten | eventuele | ursäkta |
    stavfel | eventuella | undskyld | stavefejl | beklager | skrivefeil | desculpe | erros | os | digitação
    | przepraszam | za | literówki | błędy
    """
)
"""Words of an apology behind such a line."""

SCANNED = tuple(
    sorted(
        phrases(
            """
    virus-free | virenfrei | virus-vrij | sans virus | libre de virus | livre de vírus | privo di virus |
    yahoo mail: search, organize, conquer | yahoo mail: recherchez | yahoo mail : recherchez | yahoo mail: busca |
    yahoo mail: ricerca | yahoo mail: cerca | yahoo mail: buscar | yahoo mail: suchen | yahoo mail – stressfrei |
    no virus found | checked by avg | virusfritt | virusfri | wolny od wirusów | без вирусов |
    не содержит вирусов | this email has been checked for viruses | this e-mail has been checked for viruses |
    diese e-mail wurde von avast | please consider the environment before printing | think before you print |
    bitte denken sie an die umwelt | pensez à l'environnement avant | antes de imprimir este |
    proteja o meio ambiente | pense antes de imprimir | rispetta l'ambiente | denk aan het milieu
    """
        )
    )
)
"""How a scanner's line begins, or a plea for the woods."""

CONFIDENTIAL = phrases(
    """
    confidential | confidentiality | privileged | intended recipient | intended solely | intended only |
    addressee | in error | unauthorised | unauthorized | prohibited | disclaimer | disclosure | legally |
    vertraulich | vertrauliche | empfänger | irrtümlich | unbefugt | nicht gestattet | adressat |
    rechtlich geschützte | vernichten | handelsregister | geschäftsführer | sitz der gesellschaft |
    registergericht | amtsgericht | ust-idnr | confidentiel | confidentiels | confidentielles | confidentialité |
    destinataire | destinataires | par erreur | strictement interdite | confidencial | confidenciales |
    confidencialidad | confidencialidade | destinatario | destinatarios | destinatário | por error | prohibida |
    por engano | proibida | proibido | riservato | riservate | riservatezza | riservata | per errore | vietata |
    vietato | d.lgs | vertrouwelijk | vertrouwelijke | geadresseerde | abusievelijk | per abuis | niet toegestaan |
    bestemd | konfidentiell | konfidentiellt | mottagaren | av misstag | fortrolig | fortrolige |
    fortrolig informasjon | mottakeren | modtageren | ved en fejl | ved en feil | luottamuksellinen |
    luottamuksellista | vastaanottajalle | vastaanottaja | erehdyksessä | poufna | poufne | poufny | adresata |
    odbiorcy | zabronione | omyłkowo | důvěrné | důvěrná | adresáta | příjemce | omylem | neoprávněné | gizli |
    gizlidir | alıcı | yanlışlıkla | yasaktır | hukuki | конфиденциальной | конфиденциальную | конфиденциальная |
    адресата | адресату | по ошибке | запрещено | запрещается | конфіденційну | помилково | εμπιστευτικό |
    εμπιστευτικές | παραλήπτη | εκ παραδρομής | κατά λάθος | bizalmas | címzett | címzettje | tévedésből | tilos |
    confidențial | confidențiale | destinatarului | din greșeală | interzisă | 機密 | 秘密 | 受信者 | 誤って |
    禁止 | 機密情報 | 기밀 | 수신인 | 수신자 | 잘못 | 금지 | 机密 | 保密 | 收件人 | 错误 | 機密資訊 | סודי |
    סודית | חסוי | הנמען | בטעות | אסור | سرية | سري | المستلم | المرسل إليه | بالخطأ | عن طريق الخطأ | محظور
    """
)
"""A paragraph with two of them that speaks of a mail is a disclaimer."""

MAIL = phrases(
    """
    e-mail | email | mail | e-mails | message | communication | attachments | nachricht | mitteilung | courriel |
    courrier | mensaje | correo | messaggio | comunicazione | mensagem | bericht | e-mailbericht | meddelande |
    meddelandet | mejl | meddelelse | meddelelsen | melding | meldingen | e-post | e-posten | e-postmeddelande |
    viesti | sähköposti | wiadomość | korespondencja | zpráva | zprávy | e-posta | ileti | mesaj | сообщение |
    письмо | повідомлення | лист | μήνυμα | üzenet | levél | e-mailul | mesajul | メール | 메일 | 전자우편 | 邮件 |
    郵件 | 电子邮件 | 電子郵件 | הודעה | הדואר | الرسالة | البريد
    """
)

SIGN_OFFS = phrases(
    """
    regards | best regards | kind regards | warm regards | best | all the best | best wishes | cheers | thanks |
    thank you | many thanks | thanks and regards | thanks & regards | sincerely | yours sincerely |
    yours faithfully | yours | br | kr | rgds | with regards | with best regards | with kind regards |
    mit freundlichen grüßen | mit freundlichem gruß | freundliche grüße | viele grüße | beste grüße | liebe grüße |
    schöne grüße | herzliche grüße | gruß | grüße | mfg | lg | vg | danke | vielen dank | mit besten grüßen |
    beste grüsse | freundliche grüsse | mit freundlichen grüssen | viele grüsse | gruss | servus | cordialement |
    bien cordialement | bien à vous | sincères salutations | salutations | merci | cdlt | bonne journée |
    meilleures salutations | saludos | un saludo | saludos cordiales | cordialmente | atentamente | gracias |
    muchas gracias | un cordial saludo | atenciosamente | att | abraços | abraço | cumprimentos |
    melhores cumprimentos | com os melhores cumprimentos | obrigado | obrigada | cordiais saudações |
    cordiali saluti | distinti saluti | saluti | un saluto | grazie | buona giornata | met vriendelijke groet |
    met vriendelijke groeten | vriendelijke groet | vriendelijke groeten | groet | groeten | groetjes | mvg |
    bedankt | hartelijke groet | med vänlig hälsning | med vänliga hälsningar | vänliga hälsningar |
    vänlig hälsning | hälsningar | mvh | tack | hälsning | med venlig hilsen | venlig hilsen | de bedste hilsner |
    bedste hilsner | hilsen | vh | tak | på forhånd tak | med vennlig hilsen | vennlig hilsen | hilsener |
    beste hilsen | takk | ystävällisin terveisin | terveisin | parhain terveisin | t. | yt | kiitos | kiittäen |
    pozdrawiam | z poważaniem | pozdrowienia | dziękuję | z wyrazami szacunku | serdecznie pozdrawiam |
    serdeczne pozdrowienia | s pozdravem | s pozdravom | pozdrav | děkuji | hezký den | s úctou | saygılarımla |
    saygılar | saygılarımızla | iyi çalışmalar | teşekkürler | selamlar | с уважением | спасибо | всего доброго |
    з повагою | дякую | με εκτίμηση | ευχαριστώ | φιλικά | με φιλικούς χαιρετισμούς | χαιρετισμούς | üdvözlettel |
    tisztelettel | köszönettel | köszönöm | üdv | cu stimă | cu respect | mulțumesc | toate cele bune |
    numai bine | よろしくお願いします | よろしくお願いいたします | 宜しくお願いします | 宜しくお願い致します |
    以上 | 敬具 | 감사합니다 | 고맙습니다 | 드림 | 谢谢 | 謝謝 | 此致 | 敬礼 | 祝好 | 顺颂商祺 | בברכה | תודה |
    תודה רבה | בכבוד רב | مع تحياتي | تحياتي | شكرا | شكراً | مع أطيب التحيات | مع فائق الاحترام | مع خالص التحيات |
    وتفضلوا بقبول فائق الاحترام
    """
)

BANNERS = phrases(
    """
    originated from outside | external email: | external sender: | external mail: | from an external sender |
    from outside of | from outside the organization | from outside the organisation | von außerhalb |
    externer absender | provient de l'extérieur | expéditeur externe | remitente externo | remetente externo |
    mittente esterno | externe afzender
    """
)
"""What a border server says on top of a mail from outside."""

WARNINGS = (
    *(
        "caution",
        "[caution",
        "warning",
        "[warning",
        "[external",
        "external email:",
        "external sender:",
        "external mail:",
    ),
    *(
        "achtung",
        "vorsicht",
        "[extern",
        "attention",
        "avertissement",
        "atención",
        "atenção",
        "attenzione",
        "let op",
        "advarsel",
    ),
)
"""How it begins to."""

BANNER_WORDS = phrases(
    """
    caution | warning | external | email | e | mail | message | sender | this | originated | came | was | sent | from | an |
    outside | of | the | your | our | organization | organisation | company | do | not | click | on | links | link | or | and |
    open | attachments | attachment | unless | you | recognize | recognise | know | trust | verify | verified | can | confirm |
    content | is | safe | be | careful | with | reply | source | exercise | please | think | before | clicking | opening |
    achtung | vorsicht | extern | externe | externer | absender | diese | nachricht | stammt | kommt | von | außerhalb | der |
    organisation | des | unternehmens | klicken | sie | nicht | auf | keine | anhänge | öffnen | und | oder | bitte | links |
    attention | avertissement | courriel | provient | de | l | extérieur | ce | ne | cliquez | pas | sur | les | liens | ouvrez |
    expéditeur | externe | pièces | jointes | n | votre
    """
)
"""Every word such a warning is made of, where it stands in the original that somebody quotes."""

SMALL_WORDS = phrases(
    """
    of | for | and | the | at | in | und | für | der | des | die | im | de | du | la | le | et | à | y | del |
    los | e | di | da | do | dos | van | voor | en | och | för | og | i | ja | z | w | a | na | и | по
    """
)
"""Words that stay small in the name of a post or a company."""

COMPANY = phrases(
    """
    geschäftsführer | geschäftsführerin | geschäftsführung | amtsgericht | handelsregister | registergericht |
    hrb | hra | sitz der gesellschaft | ust-idnr | ust-id | vorstand | aufsichtsrat | registered office |
    registered in england | company number | company no | vat no | vat number | siret | siren | rcs |
    capital social | p.iva | c.f. | registro mercantil | nif | cif | cnpj | nipc | kvk | btw | org.nr | org nr |
    cvr | y-tunnus | nip | regon | krs | ičo | dič | инн | огрн
    """
)
"""What the law of some country wants at the foot of a company's letter."""
